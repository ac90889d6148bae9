package cache

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// Usage is how many objects of a kind a cache holds, and the memory that they refer to. Shared values count for each object.
type Usage struct{ Objects, Bytes int }

// Meter measures a cache by the events of its informers. It runs only in the leader, since other replicas have no informers.
type Meter struct {
	cache  cache.Cache
	scheme *runtime.Scheme
	kinds  []client.Object
	mutex  sync.Mutex
	usage  map[string]Usage
}

// NewMeter returns a Meter for the given kinds in the cache.
func NewMeter(held cache.Cache, scheme *runtime.Scheme, measured ...client.Object) *Meter {
	return &Meter{cache: held, scheme: scheme, kinds: measured, usage: map[string]Usage{}}
}

// Usage returns what the cache holds, by kind.
func (m *Meter) Usage() map[string]Usage {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return maps.Clone(m.usage)
}

// Start measures until the context ends.
func (m *Meter) Start(ctx context.Context) error {
	for _, object := range m.kinds {
		gvk, err := apiutil.GVKForObject(object, m.scheme)
		if err != nil {
			return err
		}
		informer, err := m.cache.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("get the informer of %s: %w", gvk.Kind, err)
		}
		if _, err := informer.AddEventHandler(m.newHandler(gvk.Kind)); err != nil {
			return fmt.Errorf("watch the cache of %s: %w", gvk.Kind, err)
		}
	}
	<-ctx.Done()
	return nil
}

func (m *Meter) newHandler(kind string) toolscache.ResourceEventHandler {
	add := func(objects, bytes int) {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		usage := m.usage[kind]
		m.usage[kind] = Usage{Objects: usage.Objects + objects, Bytes: usage.Bytes + bytes}
	}
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { add(1, kinds.Size(o)) },
		UpdateFunc: func(before, now any) { add(0, kinds.Size(now)-kinds.Size(before)) },
		DeleteFunc: func(o any) {
			if unknown, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
				o = unknown.Obj
			}
			add(-1, -kinds.Size(o))
		},
	}
}
