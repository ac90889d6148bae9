package corda

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// replicaPorts are the ports at which the replicas of a notary service reach each other.
var replicaPorts = map[v1alpha1.CordaNotaryType][]members.Port{
	v1alpha1.CordaNotaryRaft: raftPorts, v1alpha1.CordaNotaryBFT: bftPorts,
}

// portsOf returns the ports of a node that other pods reach.
func portsOf(spec *v1alpha1.BenchmarkNetworkSpec, m platform.Member) []members.Port {
	if m.Role != roleNotary {
		return nodePorts
	}
	return slices.Concat(nodePorts, replicaPorts[spec.Platform.Corda.Notary.Type])
}

// replicaPolicy admits only the replicas of the notary to each other's ports. The first port names the policy.
func replicaPolicy(network *v1alpha1.BenchmarkNetwork, topology platform.Topology, ports []members.Port) *networkingv1.NetworkPolicy {
	replicas := metav1.LabelSelector{MatchLabels: naming.MembersSelector(network.Name), MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: v1alpha1.LabelMember, Operator: metav1.LabelSelectorOpIn, Values: notaryMembers(topology)}}}
	var open []networkingv1.NetworkPolicyPort
	for _, p := range ports {
		open = append(open, networkingv1.NetworkPolicyPort{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromString(p.Name))})
	}
	meta := members.ObjectMeta(network, naming.NetworkPolicy(network.Name, ports[0].Name), naming.ComponentMember)
	return &networkingv1.NetworkPolicy{ObjectMeta: meta, Spec: networkingv1.NetworkPolicySpec{
		PodSelector: replicas,
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress:     networkpolicy.AllowIngress([]networkingv1.NetworkPolicyPeer{{PodSelector: &replicas}}, open),
	}}
}
