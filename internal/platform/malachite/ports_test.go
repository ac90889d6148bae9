package malachite_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// TestScrapersReachMetricsOnly checks the NetworkPolicy of the validators as the operator applies it. The
// network's own pods reach every port; scrapers reach neither /blocks nor the consensus port.
func TestScrapersReachMetricsOnly(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	objects, scrapers := platformtest.Build(t, malachite.New(), network).Members, networkpolicy.DefaultScrapers()
	scrapers.RestrictIngress(network.Name, objects)
	var policies []*networkingv1.NetworkPolicy
	for _, object := range objects {
		if policy, ok := object.(*networkingv1.NetworkPolicy); ok {
			policies = append(policies, policy)
		}
	}
	if len(policies) != 1 {
		t.Fatalf("there are %d policies, want 1", len(policies))
	}
	for _, c := range []struct {
		name  string
		match func(networkingv1.NetworkPolicyPeer) bool
		want  []string
	}{
		{"own pods", selectsOwnPods, []string{"p2p", "http", "metrics", "agent"}},
		{"scrapers", func(peer networkingv1.NetworkPolicyPeer) bool { return cmp.Equal(peer, scrapers[0]) }, []string{"metrics", "agent"}},
		{"others", func(peer networkingv1.NetworkPolicyPeer) bool {
			return !selectsOwnPods(peer) && !cmp.Equal(peer, scrapers[0])
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, admittedPorts(policies[0], c.match)); diff != "" {
				t.Errorf("ports that the policy admits them to (-want +got):\n%s", diff)
			}
		})
	}
}

// selectsOwnPods reports whether a peer selects the pods of the network only.
func selectsOwnPods(peer networkingv1.NetworkPolicyPeer) bool {
	return peer.NamespaceSelector == nil && peer.PodSelector != nil && peer.PodSelector.MatchLabels[v1alpha1.LabelNetwork] == "net"
}

// admittedPorts returns the names of the ports that a policy opens to a peer that match selects. A rule
// without peers admits all peers.
func admittedPorts(policy *networkingv1.NetworkPolicy, match func(networkingv1.NetworkPolicyPeer) bool) []string {
	var ports []string
	for _, rule := range policy.Spec.Ingress {
		admitted := len(rule.From) == 0
		for _, peer := range rule.From {
			admitted = admitted || match(peer)
		}
		if admitted {
			for _, port := range rule.Ports {
				ports = append(ports, port.Port.StrVal)
			}
		}
	}
	return ports
}
