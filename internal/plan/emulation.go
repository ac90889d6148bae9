package plan

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/emulation/sidecar"
	"github.com/benchnet/benchnet/internal/platform"
)

// emulated are the members with their network's emulation, or as they are without one.
func emulated(in Input, topology platform.Topology, members []client.Object) ([]client.Object, error) {
	config, problems := sidecar.Configure(in.Network, topology.Names())
	if len(problems) > 0 {
		return nil, problems.ToAggregate()
	}
	if config == nil {
		return members, nil
	}
	return sidecar.Decorate(sidecar.Input{Network: in.Network, Config: config,
		AgentImage: in.Images.Image("agent", ""), Labels: Labels(in.Network.Name, "emulation")}, members)
}
