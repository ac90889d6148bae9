package plan

import (
	"cmp"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/database"
	"github.com/benchnet/benchnet/internal/isolation"
)

// policies keep the network apart from others. They come before all pods, those that make its keys included.
func policies(in Input) []client.Object {
	if in.Isolation == isolation.None {
		return nil
	}
	var external *isolation.Server
	if spec := in.Network.Spec.DatabaseOrDefault(); spec.Provider == v1alpha1.ProviderExternal && spec.External != nil {
		external = &isolation.Server{Host: spec.External.Host, Port: cmp.Or(spec.External.Port, database.DefaultPort)}
	}
	return isolation.Policies(in.Network, Labels(in.Network.Name, "isolation"), external)
}

// open are the members without the policy around them, where there shall be none.
func open(in Input, members []client.Object) []client.Object {
	if in.Isolation != isolation.None {
		return members
	}
	return slices.DeleteFunc(members, func(o client.Object) bool {
		_, ok := o.(*networkingv1.NetworkPolicy)
		return ok
	})
}
