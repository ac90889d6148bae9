package emerald

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// BuildMembers returns a headless Service, a NetworkPolicy, and for each member a Service, a ConfigMap and a
// StatefulSet. Validators give up on peers whose names do not resolve, so they dial the members' Services,
// which outlive their pods.
func (Emerald) BuildMembers(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	ports := slices.Concat(validatorPorts, layerOf(&in.Network.Spec).Ports())
	objects := []client.Object{members.Service(in.Network, ports), members.NetworkPolicy(in.Network, ports)}
	for i, m := range topology.Members {
		files, err := renderMemberFiles(in, topology, i)
		if err != nil {
			return nil, err
		}
		claims, volumes := members.StorageVolumes(in.Network, m, execution.VolumeData, execution.PlanStorage(&in.Network.Spec).Size)
		pod := memberPod(in, m)
		pod.Volumes = append(pod.Volumes, volumes...)
		objects = append(objects, members.AddressService(in.Network, m, ports), members.ConfigMap(in.Network, m, files),
			members.StatefulSet(in.Network, m, pod, files, claims...))
	}
	return objects, nil
}
