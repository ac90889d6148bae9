package controllers

import (
	"context"
	"fmt"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
)

// +kubebuilder:rbac:groups=discovery.k8s.io,resources=endpointslices,verbs=list;watch

// apiServerEndpoints selects the endpoints of the Service kubernetes, which are the API servers.
var apiServerEndpoints = labels.Set{discoveryv1.LabelServiceName: "kubernetes"}

// apiServerEndpointsCache makes the cache hold the endpoints of the API servers only.
func apiServerEndpointsCache() cache.ByObject {
	return cache.ByObject{Label: apiServerEndpoints.AsSelector(), Field: fields.Everything(),
		Namespaces: map[string]cache.Config{metav1.NamespaceDefault: {}}}
}

// readAPIServerPorts returns the ports of the API servers, which the NetworkPolicies of networks open: those of the watched
// endpoints, or else APIServerPorts, as for an operator of single namespaces, which may not read namespace default.
func (r *NetworkReconciler) readAPIServerPorts(ctx context.Context) ([]int32, error) {
	if !r.WatchAPIServers {
		return r.APIServerPorts, nil
	}
	var list discoveryv1.EndpointSliceList
	if err := r.Client.List(ctx, &list, client.InNamespace(metav1.NamespaceDefault), client.MatchingLabels(apiServerEndpoints)); err != nil {
		return nil, fmt.Errorf("list the endpoints of the API servers: %w", err)
	}
	if found := networkpolicy.APIServerPorts(list.Items); len(found) > 0 {
		return found, nil
	}
	return r.APIServerPorts, nil
}

// mapToAllNetworks requests every network, since each has a NetworkPolicy with the ports of the API servers.
func (r *NetworkReconciler) mapToAllNetworks(ctx context.Context, _ client.Object) []reconcile.Request {
	var list v1alpha1.BenchmarkNetworkList
	if err := r.Client.List(ctx, &list); err != nil {
		log.FromContext(ctx).Error(err, "list networks for new endpoints of the API servers")
		return nil
	}
	requests := make([]reconcile.Request, 0, len(list.Items))
	for i := range list.Items {
		requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: list.Items[i].Namespace, Name: list.Items[i].Name}})
	}
	return requests
}
