package plan

import (
	"github.com/benchnet/benchnet/internal/network/latency/sidecar"
)

// addLatencySidecars adds the latency sidecars and their shared objects to the members if the network emulates
// latency.
func addLatencySidecars(in Input, p *Plan) error {
	config, problems := sidecar.BuildConfig(in.Network, p.Topology.MemberNames(), p.Topology.MemberAliases())
	if len(problems) > 0 {
		return problems.ToAggregate()
	}
	if config == nil {
		return nil
	}
	members := p.findStage(StageMembers)
	var err error
	members.Objects, err = sidecar.AddSidecars(sidecar.Input{Network: in.Network, Config: config, AgentImage: in.Images.Image("agent", "")}, members.Objects)
	return err
}
