package controllers

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	kubecache "github.com/benchnet/benchnet/internal/kube/cache"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/naming"
)

// CacheScope selects what the manager's cache holds.
type CacheScope struct {
	// WatchedNamespaces are the only namespaces that the cache holds; empty means all. ExcludedNamespaces are
	// left out.
	WatchedNamespaces, ExcludedNamespaces []string
	// Kueue is KueueHonor if the cache also holds the operator's Kueue Workloads.
	Kueue KueueMode
}

// Options returns the options of the manager's cache. Of kinds that others also use, the cache holds only the
// operator's own objects. It drops the fields that the operator never reads.
func (s CacheScope) Options() cache.Options {
	options := cache.Options{DefaultTransform: kubecache.NewCompactor().Compact, ByObject: map[client.Object]cache.ByObject{}}
	own := cache.ByObject{Label: labels.SelectorFromSet(naming.ManagedSelector())}
	options.ByObject[&corev1.Pod{}] = own
	for _, kind := range kinds.Owned() {
		if !kind.UserCreated {
			options.ByObject[kind.Object] = own
		}
	}
	if s.Kueue == KueueHonor {
		options.ByObject[&kueuev1beta2.Workload{}] = own
	}
	if len(s.WatchedNamespaces) == 0 {
		options.ByObject[&discoveryv1.EndpointSlice{}] = apiServerEndpointsCache()
	}
	var others []fields.Selector
	for _, namespace := range s.ExcludedNamespaces {
		others = append(others, fields.OneTermNotEqualSelector("metadata.namespace", namespace))
	}
	if len(others) > 0 {
		options.DefaultFieldSelector = fields.AndSelectors(others...)
	}
	for _, namespace := range s.WatchedNamespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options
}
