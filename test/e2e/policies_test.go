//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

//go:embed testdata/policy-clients.yaml.tmpl
var policyClientsTemplate string

const (
	validatorP2PPort    = 27000
	cordaP2PPort        = 10200
	cordaRPCPort        = 10201
	cordaMetricsPort    = 9100
	databasePort        = 5432
	databaseMetricsPort = 9187
	dnsReadyPort        = 8181
	enforcerRole        = "benchnet:kube-router"
)

// policyClient is a pod that calls the pods of a network.
type policyClient struct {
	Name   string
	Labels map[string]string
}

// newPolicyClients returns a pod with the labels of the network's workers, one of another network, one of no network,
// and one with those of Prometheus.
func newPolicyClients(network string) []policyClient {
	return []policyClient{
		{"worker", map[string]string{v1alpha1.LabelNetwork: network, naming.LabelComponent: string(naming.ComponentWorker)}},
		{"foreign", map[string]string{v1alpha1.LabelNetwork: "another"}},
		{"stranger", map[string]string{naming.LabelName: "stranger"}},
		{"scraper", map[string]string{naming.LabelName: "prometheus"}},
	}
}

// TestNetworkPolicies covers what the policies of a network allow and refuse, on a cluster that enforces them: who
// reaches its members, and whom they reach.
func TestNetworkPolicies(t *testing.T) {
	ns := cluster.NewNamespace(t, "policies")
	skipUnlessEnforced(ns)
	ns.MustApply(validatorsManifest)
	ns.WaitReady("val")
	member, peer := getMemberPod(ns, "val", "member-0"), naming.MemberPod("val", "member-1")
	targets := outsideTargets(ns)
	targets["p2p"] = podAddress(member, validatorP2PPort)
	targets["metrics"] = podAddress(member, validatorMetricsPort)
	testReach(t, ns, "val", targets, map[string][]string{
		peer:       {"p2p", "metrics"},
		"worker":   {"p2p", "metrics", "api-server"},
		"foreign":  {"api-server", "other-namespace"},
		"stranger": {"api-server", "other-namespace"},
		"scraper":  {"metrics", "api-server", "other-namespace"},
	})
	t.Run("the run is measured", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertBlocks(ns, ns.WaitEnded("val-blocks"), 128)
	})
}

// testCordaReach covers the same for the members, the notary and the database of a Corda network.
func testCordaReach(t *testing.T, ns *cluster.Namespace, network string) {
	skipUnlessEnforced(ns)
	member, notary := getMemberPod(ns, network, "member-0"), getMemberPod(ns, network, "notary")
	database := ns.GetPod(naming.SharedDatabase(network) + "-0")
	targets := outsideTargets(ns)
	own := map[string]string{
		"p2p": podAddress(member, cordaP2PPort), "rpc": podAddress(member, cordaRPCPort), "notary-p2p": podAddress(notary, cordaP2PPort),
		"metrics": podAddress(member, cordaMetricsPort), "database": podAddress(database, databasePort),
		"database-metrics": podAddress(database, databaseMetricsPort),
	}
	maps.Copy(targets, own)
	all := slices.Collect(maps.Keys(own))
	testReach(t, ns, network, targets, map[string][]string{
		naming.MemberPod(network, "member-1"): all,
		notary.Name:                           all,
		"worker":                              append([]string{"api-server"}, all...),
		"foreign":                             {"api-server", "other-namespace"},
		"stranger":                            {"api-server", "other-namespace"},
		"scraper":                             {"metrics", "database-metrics", "api-server", "other-namespace"},
	})
}

// skipUnlessEnforced skips the test unless the cluster enforces NetworkPolicies: by kube-router of the provider local, or
// as BENCHNET_POLICIES says of another cluster.
func skipUnlessEnforced(ns *cluster.Namespace) {
	ns.Helper()
	if os.Getenv("BENCHNET_POLICIES") == "enforced" {
		return
	}
	err := ns.Client.Get(ns.Context(), client.ObjectKey{Name: enforcerRole}, &rbacv1.ClusterRole{})
	if apierrors.IsNotFound(err) {
		ns.Skip("needs a cluster that enforces NetworkPolicies: set BENCHNET_POLICIES=enforced")
	}
	if err != nil {
		ns.Fatalf("get ClusterRole %s: %v", enforcerRole, err)
	}
}

// outsideTargets returns the addresses of the API server and of a pod of the cluster's DNS, which stands for all pods of
// other namespaces.
func outsideTargets(ns *cluster.Namespace) map[string]string {
	ns.Helper()
	return map[string]string{"api-server": "kubernetes.default.svc:443", "other-namespace": podAddress(getDNSPod(ns), dnsReadyPort)}
}

// testReach checks to which targets each pod of the namespace can open TCP connections. It adds the policy clients of
// the network, also in another namespace, where only the scraper reaches pods of the network, and deletes them.
func testReach(t *testing.T, ns *cluster.Namespace, network string, targets map[string]string, open map[string][]string) {
	other := cluster.NewNamespace(t, strings.TrimPrefix(ns.Name, "bn-e2e-")+"-other")
	elsewhere, cleanUp := map[string][]string{}, []string{"delete", "pod", "--ignore-not-found"}
	image := getMemberPod(ns, network, "member-0").Spec.Containers[0].Image
	for _, c := range newPolicyClients(network) {
		elsewhere[c.Name] = []string{"api-server", "other-namespace"}
		if c.Name == "scraper" {
			elsewhere[c.Name] = open[c.Name]
		}
		cleanUp = append(cleanUp, c.Name)
	}
	defer ns.RunKubectl(cleanUp...)
	startPolicyClients(ns, network, image)
	startPolicyClients(other, network, image)
	testReachFrom(t, ns, "own namespace", targets, open)
	testReachFrom(t, other, "another namespace", targets, elsewhere)
}

// testReachFrom waits for the outcome of each pod, because enforcement begins some time after a pod starts.
func testReachFrom(t *testing.T, ns *cluster.Namespace, name string, targets map[string]string, open map[string][]string) {
	for _, pod := range slices.Sorted(maps.Keys(open)) {
		want := slices.Sorted(slices.Values(open[pod]))
		t.Run(fmt.Sprintf("%s: %s reaches only %s", name, pod, strings.Join(want, ", ")), func(t *testing.T) {
			ns := ns.ForSubtest(t)
			ns.Wait("it does", func() (bool, string) {
				got := reachedFrom(ns, pod, targets)
				return slices.Equal(got, want), "it reaches " + strings.Join(got, ", ")
			})
		})
	}
}

// reachedFrom returns the names of the targets to which the first container of a pod can open a TCP connection. A
// listener must exist, since a closed port is refused, too.
func reachedFrom(ns *cluster.Namespace, pod string, targets map[string]string) []string {
	ns.Helper()
	var script strings.Builder
	for name, address := range targets {
		host, port, _ := strings.Cut(address, ":")
		fmt.Fprintf(&script, "(timeout 5 bash -c '</dev/tcp/%s/%s' 2>/dev/null && echo %s) & ", host, port, name)
	}
	return slices.Sorted(strings.FieldsSeq(ns.RunKubectl("exec", pod, "--", "bash", "-c", script.String()+"wait")))
}

// startPolicyClients starts the policy clients of the network with an image that has a shell.
func startPolicyClients(ns *cluster.Namespace, network, image string) {
	ns.Helper()
	data := struct {
		Image   string
		Clients []policyClient
	}{image, newPolicyClients(network)}
	var text strings.Builder
	if err := template.Must(template.New("clients").Parse(policyClientsTemplate)).Execute(&text, data); err != nil {
		ns.Fatal(err)
	}
	ns.MustApply(text.String())
	for _, c := range data.Clients {
		ns.RunKubectl("wait", "--for=condition=Ready", "pod/"+c.Name, "--timeout=20m")
	}
}

func podAddress(pod *corev1.Pod, port int) string {
	return fmt.Sprintf("%s:%d", pod.Status.PodIP, port)
}

// getDNSPod returns a pod of the cluster's DNS.
func getDNSPod(ns *cluster.Namespace) *corev1.Pod {
	ns.Helper()
	var pods corev1.PodList
	if err := ns.Client.List(ns.Context(), &pods, client.InNamespace("kube-system"), client.MatchingLabels{"k8s-app": "kube-dns"}); err != nil {
		ns.Fatalf("list pods of the DNS: %v", err)
	}
	if len(pods.Items) == 0 {
		ns.Fatal("the cluster has no pod with the label k8s-app: kube-dns")
	}
	return &pods.Items[0]
}
