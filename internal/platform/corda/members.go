package corda

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
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
