package emulation

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

// resync is how often all peers are set again, in case that something else changed the pod's network.
const resync = time.Minute

// followed keeps the objects of a resource as they are in the API server, whatever becomes of connections to it.
type followed struct {
	informer cache.SharedIndexInformer
}

// follow begins to keep the objects that the selector takes; changed is called after every change.
func follow(ctx context.Context, objects dynamic.ResourceInterface, selector string, changed func()) (*followed, error) {
	list := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = selector
			return objects.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = selector
			return objects.Watch(ctx, o)
		},
	}
	informer := cache.NewSharedIndexInformer(list, &unstructured.Unstructured{}, resync, nil)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { changed() },
		UpdateFunc: func(any, any) { changed() },
		DeleteFunc: func(any) { changed() },
	}); err != nil {
		return nil, fmt.Errorf("follow the API server: %w", err)
	}
	go informer.RunWithContext(ctx)
	return &followed{informer}, nil
}

// now are the objects as they are known to be.
func (f *followed) now() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, o := range f.informer.GetStore().List() {
		if u, ok := o.(*unstructured.Unstructured); ok {
			all = append(all, u)
		}
	}
	return all
}
