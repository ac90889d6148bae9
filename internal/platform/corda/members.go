package corda

import (
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// BuildMembers returns a headless Service, NetworkPolicies, and a ConfigMap and a StatefulSet for each node; for a
// replica of a BFT notary also a Service.
func (Corda) BuildMembers(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	objects := []client.Object{members.Service(in.Network, nodePorts), members.NetworkPolicy(in.Network, nodePorts)}
	if ports := replicaPorts[in.Network.Spec.Platform.Corda.Notary.Type]; ports != nil {
		objects = append(objects, replicaPolicy(in.Network, topology, ports))
	}
	for _, m := range topology.Members {
		conf, err := renderNodeConf(in, m)
		if err != nil {
			return nil, err
		}
		files := map[string]string{fileNodeConf: conf}
		claims, volumes := members.StorageVolumes(in.Network, m, volumeBase, volumeSize(m.Spec))
		pod := memberPod(in, m)
		pod.Volumes = append(pod.Volumes, volumes...)
		objects = append(objects, members.ConfigMap(in.Network, m, files), members.StatefulSet(in.Network, m, pod, files, claims...))
		if newBFTReplica(in.Network, m) != nil {
			objects = append(objects, members.AddressService(in.Network, m, bftPorts))
		}
	}
	return objects, nil
}

// volumeSize returns the size of a member's own volume from the spec. The default has space for logs, journal
// and, with H2, the planned ledger.
func volumeSize(spec *v1alpha1.BenchmarkNetworkSpec) resource.Quantity {
	var ledger sizing.LedgerData
	if usesH2(spec) {
		ledger = plannedLedgerData(spec)
	}
	return members.VolumeSize(&spec.Members, sizing.MemberVolumeSize(ledger))
}

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
	return members.IngressPolicy(network, ports[0].Name, replicas, []networkingv1.NetworkPolicyPeer{{PodSelector: &replicas}}, ports)
}
