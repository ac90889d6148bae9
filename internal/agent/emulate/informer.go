package emulate

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/benchnet/benchnet/internal/agent/kube"
)

// resyncInterval is how often all peers are set again, in case something else changed the pod's network.
const resyncInterval = time.Minute

// objectInformer caches the objects of one resource and survives lost connections.
type objectInformer struct {
	informer cache.SharedIndexInformer
}

// startInformer caches the objects that match the selector and calls changed after every event. It does not use
// client-go's dynamic informers: they link the typed clients of all kinds, 16 MB in a program that runs in every pod.
func startInformer(ctx context.Context, cluster *kube.NamespaceClient, resource, selector string, changed func()) (*objectInformer, error) {
	kind := schema.GroupVersionResource{Version: "v1", Resource: resource}
	objects := cluster.Client.Resource(kind).Namespace(cluster.Name)
	list := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = selector
			return objects.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = selector
			return objects.Watch(ctx, o)
		},
	}, cluster.Client)
	informer := cache.NewSharedIndexInformer(list, &unstructured.Unstructured{}, resyncInterval, nil)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { changed() },
		UpdateFunc: func(any, any) { changed() },
		DeleteFunc: func(any) { changed() },
	}); err != nil {
		return nil, fmt.Errorf("follow %s: %w", resource, err)
	}
	go informer.RunWithContext(ctx)
	return &objectInformer{informer}, nil
}

func (f *objectInformer) listObjects() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, o := range f.informer.GetStore().List() {
		if u, ok := o.(*unstructured.Unstructured); ok {
			all = append(all, u)
		}
	}
	return all
}
