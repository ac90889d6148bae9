package plan

import (
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
)

// isolateNetwork adds the policies that isolate the network. They are applied before any pod is created,
// including those of genesis. If policies are disabled, it removes those of the members instead.
func isolateNetwork(in Input, p *Plan) error {
	if in.NetworkPolicyMode == networkpolicy.ModeNone {
		members := p.findStage(StageMembers)
		members.Objects = slices.DeleteFunc(members.Objects, func(o client.Object) bool {
			_, ok := o.(*networkingv1.NetworkPolicy)
			return ok
		})
		return nil
	}
	var external *networkpolicy.ExternalDatabase
	if spec := in.Network.Spec.DatabaseOrDefault(); spec.Provider == v1alpha1.ProviderExternal && spec.External != nil {
		external = &networkpolicy.ExternalDatabase{Host: spec.External.Host, Port: database.ExternalPort(spec)}
	}
	policies := networkpolicy.Build(in.Network, external)
	genesis := p.findStage(StageGenesis)
	genesis.Objects = append(policies, genesis.Objects...)
	return nil
}
