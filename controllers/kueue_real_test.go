package controllers_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/queue"
)

// kueueConfiguration is without webhooks: the API server is not told of them.
const kueueConfiguration = `
apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
health: {healthProbeBindAddress: "0"}
metrics: {bindAddress: "0"}
webhook: {port: %d, host: 127.0.0.1, certDir: %s}
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
integrations: {frameworks: [batch/job]}
`

// quotas have room for one small network, of 0.8 cores. Who has the higher priority goes first.
const quotas = `
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - {name: any, resources: [{name: cpu, nominalQuota: "1"}, {name: memory, nominalQuota: 8Gi}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: ours}
spec: {clusterQueue: all}
`

// startKueue runs Kueue's own manager on the test's API server.
func (w *world) startKueue(program string) {
	w.t.Helper()
	directory := w.t.TempDir()
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	must(w.t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(w.t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	must(w.t, listener.Close())
	access := clientcmdapi.Config{CurrentContext: "test",
		Clusters:  map[string]*clientcmdapi.Cluster{"test": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"test": {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}},
		Contexts:  map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test"}}}
	must(w.t, clientcmd.WriteToFile(access, filepath.Join(directory, "kubeconfig")))
	for name, data := range map[string][]byte{"tls.crt": certificate, "tls.key": key, "config.yaml": fmt.Appendf(nil, kueueConfiguration, port, directory)} {
		must(w.t, os.WriteFile(filepath.Join(directory, name), data, 0o600))
	}
	var output bytes.Buffer
	c := exec.CommandContext(w.ctx, program, "--config", filepath.Join(directory, "config.yaml"), "--feature-gates=VisibilityOnDemand=false")
	c.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(directory, "kubeconfig"))
	c.Stdout, c.Stderr = &output, &output
	must(w.t, c.Start())
	w.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // It was killed.
		if w.t.Failed() {
			text := output.String()
			w.t.Logf("Kueue said:\n%s", text[max(0, len(text)-6000):])
		}
	})
}

// waitFor what is to be true within a minute or two; what says it of networks.
func (w *world) waitFor(what string, is func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			var list v1alpha1.BenchmarkNetworkList
			must(w.t, w.client.List(w.ctx, &list))
			for i := range list.Items {
				w.t.Logf("%s: %s %+v", list.Items[i].Name, list.Items[i].Status.Phase, meta.FindStatusCondition(list.Items[i].Status.Conditions, v1alpha1.ConditionAdmitted))
			}
			w.t.Fatalf("never: %s", what)
		}
	}
}

// TestWithTheRealKueue has quota for one network. Two come: the second waits until the first is gone. Then one of a higher priority
// comes, takes the place, and gives it back.
func TestWithTheRealKueue(t *testing.T) {
	program := os.Getenv("BENCHNET_KUEUE")
	if program == "" {
		t.Skip("BENCHNET_KUEUE is not set: make test-kueue sets it to what it built")
	}
	w := withKueue(t)
	w.startKueue(program)
	for _, object := range manifests(t, []byte(quotas)) {
		if object.GetKind() == "LocalQueue" {
			object.SetNamespace(w.namespace)
		}
		must(t, w.client.Create(w.ctx, object))
		t.Cleanup(func() { _ = w.client.Delete(t.Context(), object) })
	}
	w.manage(queue.Limits{MaxNetworks: 1}) // Of which networks of Kueue take no place.
	w.small("a", labelled("a", "ours")...)
	w.waitFor("a begins", func() bool { return w.begun() == "a" })
	w.small("b", labelled("b", "ours")...)
	waits := func(network string) func() bool {
		return func() bool { return w.network(network).Status.QueuePosition == "Kueue" }
	}
	w.waitFor("b waits", waits("b"))
	time.Sleep(5 * time.Second) // Kueue would have admitted it by then.
	if w.begun() != "a" {
		t.Fatalf("there is quota for one, but %q began", w.begun())
	}
	t.Log("b: " + w.admitted("b").Message)
	must(t, w.client.Delete(w.ctx, w.network("a")))
	must(t, w.client.Delete(w.ctx, w.workload("a"))) // No garbage collector runs here.
	w.deleteAll("a")
	w.waitFor("b begins", func() bool { return w.begun() == "b" })

	before := w.workload("b").UID
	w.small("c", append(labelled("c", "ours"), "spec:", "spec:\n  priority: 10")...)
	w.waitFor("b gives way to c", func() bool { return w.begun() == "c" })
	t.Log("b: " + w.admitted("b").Message)
	if !waits("b")() || w.workload("b").UID != before {
		t.Error("b should wait again, by the same Workload")
	}
	must(t, w.client.Delete(w.ctx, w.network("c")))
	must(t, w.client.Delete(w.ctx, w.workload("c")))
	w.deleteAll("c")
	w.waitFor("b begins anew", func() bool { return w.begun() == "b" })
}

// deleteAll does what the garbage collector does with what a network left.
func (w *world) deleteAll(network string) {
	w.t.Helper()
	for _, object := range w.objects() {
		if object.GetLabels()[v1alpha1.LabelNetwork] == network {
			must(w.t, w.client.Delete(w.ctx, object))
		}
	}
}
