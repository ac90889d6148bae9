package plan

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/network/latency/sidecar"
	"github.com/benchnet/benchnet/internal/platform"
)

// addLatencySidecars adds the latency sidecars to the members. It returns the members unchanged if the network
// emulates no latency.
func addLatencySidecars(in Input, topology platform.Topology, members []client.Object) ([]client.Object, error) {
	config, problems := sidecar.BuildConfig(in.Network, topology.MemberNames())
	if len(problems) > 0 {
		return nil, problems.ToAggregate()
	}
	if config == nil {
		return members, nil
	}
	return sidecar.AddSidecars(sidecar.Input{Network: in.Network, Config: config,
		AgentImage: in.Images.Image("agent", ""), Labels: NetworkLabels(in.Network.Name, "emulation")}, members)
}
