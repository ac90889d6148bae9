package plan

import (
	"cmp"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
)

// buildNetworkPolicies returns the policies that isolate the network. They are applied before any pod is
// created, including those of genesis.
func buildNetworkPolicies(in Input) []client.Object {
	if in.NetworkPolicyMode == networkpolicy.ModeNone {
		return nil
	}
	var external *networkpolicy.ExternalDatabase
	if spec := in.Network.Spec.DatabaseOrDefault(); spec.Provider == v1alpha1.ProviderExternal && spec.External != nil {
		external = &networkpolicy.ExternalDatabase{Host: spec.External.Host, Port: cmp.Or(spec.External.Port, database.DefaultPort)}
	}
	return networkpolicy.Build(in.Network, NetworkLabels(in.Network.Name, "isolation"), external)
}

// withoutNetworkPolicy removes the NetworkPolicies among the members' objects if policies are disabled.
func withoutNetworkPolicy(in Input, members []client.Object) []client.Object {
	if in.NetworkPolicyMode != networkpolicy.ModeNone {
		return members
	}
	return slices.DeleteFunc(members, func(o client.Object) bool {
		_, ok := o.(*networkingv1.NetworkPolicy)
		return ok
	})
}
