package controllers_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/util/cert"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
)

// kueueConfiguration has no webhooks, since none are registered with the API server.
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

// kueueQuotas have capacity for one small network of 0.8 cores. Networks of higher priority preempt others.
const kueueQuotas = `
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
func (w *testEnv) startKueue(program string) {
	w.t.Helper()
	directory := w.t.TempDir()
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	must(w.t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(w.t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	must(w.t, listener.Close())
	for name, data := range map[string][]byte{"tls.crt": certificate, "tls.key": key, "config.yaml": fmt.Appendf(nil, kueueConfiguration, port, directory)} {
		must(w.t, os.WriteFile(filepath.Join(directory, name), data, 0o600))
	}
	w.t.Setenv("KUBECONFIG", w.writeKubeconfig(directory))
	w.startProgram(program, "--config", filepath.Join(directory, "config.yaml"), "--feature-gates=VisibilityOnDemand=false")
}

// waitFor waits up to ten minutes until the condition holds; what describes it.
func (w *testEnv) waitFor(what string, is func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !is(); time.Sleep(100 * time.Millisecond) {
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

// TestWithTheRealKueue has quota for one network. Of two networks, the second waits until the first is deleted.
// Then a network of higher priority preempts it, and releases the quota later.
func TestWithTheRealKueue(t *testing.T) {
	program := os.Getenv("BENCHNET_KUEUE")
	if program == "" {
		t.Skip("BENCHNET_KUEUE is not set: make test-kueue builds Kueue and sets it")
	}
	w := newTestEnvWithKueue(t)
	w.startControllers("garbage-collector-controller")
	w.startKueue(program)
	for _, object := range decodeManifests(t, []byte(kueueQuotas)) {
		if object.GetKind() == "LocalQueue" {
			object.SetNamespace(w.namespace)
		}
		must(t, w.client.Create(w.ctx, object))
		t.Cleanup(func() { _ = w.client.Delete(t.Context(), object) })
	}
	w.startLimitedManager(controllers.Limits{MaxNetworks: 1}) // Networks that Kueue manages do not count.
	w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
	w.waitFor("a begins", func() bool { return w.startedNetworks() == "a" })
	w.createSmallNetwork("b", withQueueLabel("b", "ours")...)
	waits := func(network string) func() bool {
		return func() bool { return w.getNetwork(network).Status.Phase == "Queued" }
	}
	w.waitFor("b waits", waits("b"))
	w.waitFor("b reports Kueue's message", func() bool {
		return strings.Contains(w.admittedCondition("b").Message, "insufficient unused quota for cpu")
	})
	time.Sleep(5 * time.Second) // Kueue would have admitted it by then.
	if w.startedNetworks() != "a" {
		t.Fatalf("there is quota for one, but %q started", w.startedNetworks())
	}
	t.Log("b: " + w.admittedCondition("b").Message)
	must(t, w.client.Delete(w.ctx, w.getNetwork("a")))
	w.waitFor("b begins", func() bool { return w.startedNetworks() == "b" })

	before := w.getKueueWorkload("b").UID
	w.createSmallNetwork("c", append(withQueueLabel("c", "ours"), "spec:", "spec:\n  priority: 10")...)
	w.waitFor("b is preempted by c", func() bool { return w.startedNetworks() == "c" })
	t.Log("b: " + w.admittedCondition("b").Message)
	if !waits("b")() || w.getKueueWorkload("b").UID != before {
		t.Error("b should wait again, with the same Workload")
	}
	must(t, w.client.Delete(w.ctx, w.getNetwork("c")))
	w.waitFor("b restarts", func() bool { return w.startedNetworks() == "b" })
}
