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
	validatorP2PPort     = 27000
	emeraldMetricsPort   = 29000
	executionRPCPort     = 8545
	executionPeersPort   = 30303
	executionMetricsPort = 9001
	jpaxosReplicaPort    = 2021
	jpaxosClientPort     = 3001
	jpaxosMetricsPort    = 9101
	cordaP2PPort         = 10200
	cordaRPCPort         = 10201
	cordaMetricsPort     = 9100
	databasePort         = 5432
	databaseMetricsPort  = 9187
	commandsPort         = 9201
	dnsReadyPort         = 8181
	enforcerRole         = "benchnet:kube-router"
)

// policyClient is a pod that calls the pods of a network.
type policyClient struct {
	Name   string
	Labels map[string]string
	// HostOf is the node whose network namespace the pod uses, or empty.
	HostOf string
}

// newPolicyClients returns a pod with the labels of the network's workers, one of another network, one of no network,
// and one with those of Prometheus.
func newPolicyClients(network string) []policyClient {
	return []policyClient{
		{Name: "worker", Labels: map[string]string{v1alpha1.LabelNetwork: network, naming.LabelComponent: string(naming.ComponentWorker)}},
		{Name: "foreign", Labels: map[string]string{v1alpha1.LabelNetwork: "another"}},
		{Name: "stranger", Labels: map[string]string{naming.LabelName: "stranger"}},
		{Name: "scraper", Labels: map[string]string{naming.LabelName: "prometheus"}},
	}
}

// TestNetworkPolicies covers what the policies of a network allow and refuse, on a cluster that enforces them: who
// reaches its members, and whom they reach.
func TestNetworkPolicies(t *testing.T) {
	t.Parallel()
	ns := cluster.NewNamespace(t, "policies")
	skipUnlessEnforced(ns)
	ns.MustApply(validatorsManifest)
	ns.WaitReady("val")
	member := getMemberPod(ns, "val", "member-0")
	ports := map[string]string{"p2p": podAddress(member, validatorP2PPort), "metrics": podAddress(member, validatorMetricsPort),
		"commands": podAddress(member, commandsPort)}
	testReach(t, ns, "val", ports, naming.MemberPod("val", "member-1"))
	testReachFromNodes(t, ns, member, ports)
	t.Run("the run is measured", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		run := ns.WaitEnded("val-blocks")
		assertBlocks(ns, run, 128)
		if on := placementOf(readResult(ns, run)); len(listNodes(ns)) == 3 && !slices.Equal(countPerNode(on, "member-"), []int{1, 1, 2}) {
			t.Errorf("the constraint should spread four validators over three nodes: %v", on)
		}
	})
}

// testCordaReach covers the same for the members, the notary and a database of a Corda network.
func testCordaReach(t *testing.T, ns *cluster.Namespace, network string) {
	skipUnlessEnforced(ns)
	member, notary := getMemberPod(ns, network, "member-0"), getMemberPod(ns, network, "notary-0")
	database := ns.GetPod(naming.DatabaseInstance(network, 0) + "-0")
	testReach(t, ns, network, map[string]string{
		"p2p": podAddress(member, cordaP2PPort), "rpc": podAddress(member, cordaRPCPort), "notary-p2p": podAddress(notary, cordaP2PPort),
		"metrics": podAddress(member, cordaMetricsPort), "database": podAddress(database, databasePort),
		"database-metrics": podAddress(database, databaseMetricsPort), "database-commands": podAddress(database, commandsPort),
	}, naming.MemberPod(network, "member-1"), notary.Name)
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

// testReach checks who opens TCP connections to ports of the network's pods: its members and workers to all of them, the
// others to none, not even pods with the labels of Prometheus outside its namespace. Members reach nothing else. It adds the policy clients
// of the network, also in another namespace, where workers are strangers, and deletes them.
func testReach(t *testing.T, ns *cluster.Namespace, network string, ports map[string]string, members ...string) {
	other := cluster.NewNamespace(t, strings.TrimPrefix(ns.Name, "bn-e2e-")+"-other")
	clients, image := newPolicyClients(network), getMemberPod(ns, network, "member-0").Spec.Containers[0].Image
	targets := outsideTargets(ns)
	outside, all := slices.Collect(maps.Keys(targets)), slices.Collect(maps.Keys(ports))
	maps.Copy(targets, ports)
	elsewhere := map[string][]string{"worker": outside, "foreign": outside, "stranger": outside, "scraper": outside}
	open := maps.Clone(elsewhere)
	open["worker"] = append([]string{"api-server"}, all...)
	for _, member := range members {
		open[member] = all
	}
	defer deletePolicyClients(ns, clients)
	startPolicyClients(ns, clients, image)
	startPolicyClients(other, clients, image)
	testReachFrom(t, ns, "own namespace", targets, open)
	testReachFrom(t, other, "another namespace", targets, elsewhere)
}

// testReachFromNodes checks that the node of a member reaches its ports, as Kubernetes demands, and other nodes do not. It
// makes the namespace privileged, so that it may have pods with hostNetwork, which it deletes.
func testReachFromNodes(t *testing.T, ns *cluster.Namespace, member *corev1.Pod, ports map[string]string) {
	ns.AllowPrivilegedPods()
	targets := outsideTargets(ns)
	outside := slices.Collect(maps.Keys(targets))
	maps.Copy(targets, ports)
	own := member.Spec.NodeName
	clients, open := []policyClient{{Name: "own-node", HostOf: own}}, map[string][]string{"own-node": slices.Collect(maps.Keys(targets))}
	nodes := listNodes(ns)
	if i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name != own }); i >= 0 {
		clients, open["other-node"] = append(clients, policyClient{Name: "other-node", HostOf: nodes[i].Name}), outside
	}
	defer deletePolicyClients(ns, clients)
	startPolicyClients(ns, clients, member.Spec.Containers[0].Image)
	testReachFrom(t, ns, "nodes", targets, open)
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

// startPolicyClients starts the clients with an image that has a shell.
func startPolicyClients(ns *cluster.Namespace, clients []policyClient, image string) {
	ns.Helper()
	data := struct {
		Image   string
		Clients []policyClient
	}{image, clients}
	ns.MustApply(renderTemplate(ns.TB, policyClientsTemplate, data))
	for _, c := range data.Clients {
		ns.RunKubectl("wait", "--for=condition=Ready", "pod/"+c.Name, "--timeout=20m")
	}
}

func deletePolicyClients(ns *cluster.Namespace, clients []policyClient) {
	ns.Helper()
	args := []string{"delete", "pod", "--ignore-not-found"}
	for _, c := range clients {
		args = append(args, c.Name)
	}
	ns.RunKubectl(args...)
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
