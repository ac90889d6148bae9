//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/template"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

//go:embed testdata/policy-clients.yaml.tmpl
var policyClientsTemplate string

const (
	validatorP2PPort = 27000
	dnsReadyPort     = 8181
)

// policyClient is a pod that calls the members.
type policyClient struct{ Name, Label, Value string }

var policyClients = []policyClient{
	{"own", v1alpha1.LabelNetwork, "val"},
	{"foreign", v1alpha1.LabelNetwork, "another"},
	{"stranger", naming.LabelName, "stranger"},
	{"scraper", naming.LabelName, "prometheus"},
}

// TestNetworkPolicies covers what the policies of a network allow and refuse, on a cluster that enforces them: who
// reaches its members, and whom they reach.
func TestNetworkPolicies(t *testing.T) {
	if os.Getenv("BENCHNET_POLICIES") != "enforced" {
		t.Skip("needs a cluster that enforces NetworkPolicies: set BENCHNET_POLICIES=enforced")
	}
	ns, other := cluster.NewNamespace(t, "policies"), cluster.NewNamespace(t, "policies-other")
	ns.MustApply(validatorsManifest)
	ns.WaitReady("val")
	member := getMemberPod(ns, "val", "member-0")
	startPolicyClients(ns, member)
	startPolicyClients(other, member)
	targets := map[string]string{
		"p2p":        podAddress(member, validatorP2PPort),
		"metrics":    podAddress(member, validatorMetricsPort),
		"DNS health": podAddress(getDNSPod(ns), dnsReadyPort),
		"API server": "kubernetes.default.svc:443",
	}
	testReach(t, ns, "own namespace", targets, []reachCase{
		{"own", "p2p", true}, {"own", "metrics", true},
		{"foreign", "p2p", false}, {"foreign", "metrics", false},
		{"stranger", "p2p", false}, {"stranger", "metrics", false},
		{"scraper", "p2p", false}, {"scraper", "metrics", true},
	})
	testReach(t, other, "another namespace", targets, []reachCase{
		{"own", "p2p", false}, {"own", "metrics", false},
		{"foreign", "p2p", false}, {"foreign", "metrics", false},
		{"stranger", "p2p", false}, {"stranger", "metrics", false},
		{"scraper", "p2p", false}, {"scraper", "metrics", true},
	})
	testReach(t, ns, "egress", targets, []reachCase{
		{naming.MemberPod("val", "member-1"), "p2p", true},
		{naming.MemberPod("val", "member-1"), "API server", false},
		{naming.MemberPod("val", "member-1"), "DNS health", false},
		{"stranger", "API server", true},
		{"stranger", "DNS health", true},
	})
	t.Run("the run is measured", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertBlocks(ns, ns.WaitEnded("val-blocks"), 128)
	})
}

// startPolicyClients starts the clients with the image of the member, which has a shell.
func startPolicyClients(ns *cluster.Namespace, member *corev1.Pod) {
	ns.Helper()
	data := struct {
		Image   string
		Clients []policyClient
	}{member.Spec.Containers[0].Image, policyClients}
	var text strings.Builder
	if err := template.Must(template.New("clients").Parse(policyClientsTemplate)).Execute(&text, data); err != nil {
		ns.Fatal(err)
	}
	ns.MustApply(text.String())
	for _, c := range policyClients {
		ns.RunKubectl("wait", "--for=condition=Ready", "pod/"+c.Name, "--timeout=20m")
	}
}

func podAddress(pod *corev1.Pod, port int) string {
	return fmt.Sprintf("%s:%d", pod.Status.PodIP, port)
}

// getDNSPod returns a pod of the cluster's DNS, which stands for all pods outside of the network.
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

// reachCase says whether a pod may open a TCP connection to a target.
type reachCase struct {
	pod, target string
	allowed     bool
}

// testReach waits for the outcome of each case, because enforcement begins some time after a pod starts.
func testReach(t *testing.T, ns *cluster.Namespace, name string, targets map[string]string, cases []reachCase) {
	for _, c := range cases {
		want := "refused"
		if c.allowed {
			want = "open"
		}
		t.Run(fmt.Sprintf("%s: %s to %s is %s", name, c.pod, c.target, want), func(t *testing.T) {
			ns := ns.ForSubtest(t)
			ns.Wait("connection is "+want, func() (bool, string) {
				got := connectFrom(ns, c.pod, targets[c.target])
				return got == want, got
			})
		})
	}
}

// connectFrom opens a TCP connection from the first container of a pod. A listener must exist, since a closed port is
// refused, too.
func connectFrom(ns *cluster.Namespace, pod, address string) string {
	ns.Helper()
	host, port, _ := strings.Cut(address, ":")
	script := fmt.Sprintf("if timeout 5 bash -c '</dev/tcp/%s/%s' 2>/dev/null; then echo open; else echo refused; fi", host, port)
	return strings.TrimSpace(ns.RunKubectl("exec", pod, "--", "bash", "-c", script))
}
