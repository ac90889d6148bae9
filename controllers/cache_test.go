package controllers_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	kubecache "github.com/benchnet/benchnet/internal/kube/cache"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/naming"
)

// operatorConnection holds what the manager gives its reconcilers: a client that reads through the manager's
// cache, with its selectors, transforms and indexes, and an uncached client. Both have only the rights that the
// chart grants.
type operatorConnection struct {
	cachedClient, directClient client.WithWatch
	cache                      cache.Cache
}

// startConnection starts a cache that runs until the context ends.
func startConnection(ctx context.Context, as *rest.Config, scheme *runtime.Scheme, scope controllers.CacheScope) (*operatorConnection, error) {
	options := scope.Options()
	options.Scheme = scheme
	held, err := cache.New(as, options)
	if err != nil {
		return nil, err
	}
	if err := controllers.IndexRunsByNetwork(ctx, held); err != nil {
		return nil, err
	}
	go func() { _ = held.Start(ctx) }() // It ends without an error when the context does.
	c := &operatorConnection{cache: held}
	if c.cachedClient, err = client.NewWithWatch(as, client.Options{Scheme: scheme, Cache: &client.CacheOptions{Reader: held}}); err != nil {
		return nil, err
	}
	c.directClient, err = client.NewWithWatch(as, client.Options{Scheme: scheme})
	return c, err
}

// sharedConnections are shared by all test environments except those with an operator of one namespace, so that
// caches are filled once.
var sharedConnections = map[controllers.KueueMode]*operatorConnection{}

// connectionsContext ends before the API server is stopped, which would wait for the watches of the caches.
var connectionsContext, closeConnections = context.WithCancel(context.Background())

// sharedConnection returns a connection with a cache of all namespaces, which lives as long as the process.
func sharedConnection(t *testing.T, admin client.Client, kueue controllers.KueueMode) *operatorConnection {
	t.Helper()
	if sharedConnections[kueue] == nil {
		c, err := startConnection(connectionsContext, installOperatorRBAC(t, admin), admin.Scheme(), controllers.CacheScope{Kueue: kueue})
		must(t, err)
		sharedConnections[kueue] = c
	}
	return sharedConnections[kueue]
}

// writtenKinds are the kinds that were written since the cache was last awaited.
type writtenKinds struct {
	mutex sync.Mutex
	kinds map[schema.GroupVersionKind]bool
}

func (w *writtenKinds) addKindOf(scheme *runtime.Scheme, object client.Object) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	gvk, err := apiutil.GVKForObject(object, scheme)
	if err != nil {
		return // The write fails for that.
	}
	if w.kinds == nil {
		w.kinds = map[schema.GroupVersionKind]bool{}
	}
	w.kinds[gvk] = true
}

// takeAll returns the written kinds and forgets them.
func (w *writtenKinds) takeAll() []schema.GroupVersionKind {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	taken := slices.Collect(maps.Keys(w.kinds))
	w.kinds = nil
	return taken
}

// recordWrites wraps a client so that the next pass waits for what it wrote.
func (w *testEnv) recordWrites(c client.WithWatch) client.WithWatch {
	record := func(o client.Object) { w.writtenKinds.addKindOf(c.Scheme(), o) }
	return interceptor.NewClient(c, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			defer record(o)
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			defer record(o)
			return c.Update(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			defer record(o)
			return c.Patch(ctx, o, p, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			defer record(o)
			return c.Delete(ctx, o, opts...)
		},
		DeleteAllOf: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteAllOfOption) error {
			defer record(o)
			return c.DeleteAllOf(ctx, o, opts...)
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			defer record(o)
			return c.SubResource(sub).Update(ctx, o, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			defer record(o)
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	})
}

// awaitWrites waits until the reconcilers' cache holds everything that was written in the test's namespace
// before a pass. The cache shows the pass's own writes late, as in production.
func (w *testEnv) awaitWrites() {
	for _, gvk := range w.writtenKinds.takeAll() {
		selector, cached := w.cacheSelector(gvk)
		if !cached {
			continue
		}
		for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(2 * time.Millisecond) {
			want, have := w.resourceVersions(gvk, selector)
			if maps.Equal(want, have) {
				break
			}
			if time.Now().After(deadline) {
				panic(fmt.Sprintf("the cache has %s %v, the API server %v", gvk.Kind, have, want))
			}
		}
	}
}

// cacheSelector returns the selector of the objects of the kind that the operator's cache holds, and whether it
// holds any.
func (w *testEnv) cacheSelector(gvk schema.GroupVersionKind) (selector labels.Selector, cached bool) {
	for _, kind := range append(kinds.Owned(), kinds.Kind{Object: &corev1.Pod{}}, kinds.Kind{GroupVersion: kueue.GroupVersion, Object: &kueue.Workload{}}) {
		if kind.GroupKind() == gvk.GroupKind() && !kind.UserCreated {
			return labels.SelectorFromSet(naming.ManagedSelector()), true
		}
	}
	return labels.Everything(), gvk.Group == v1alpha1.GroupVersion.Group
}

// resourceVersions returns the resource versions of the objects of a kind in the test's namespace, in the API
// server and in the cache.
func (w *testEnv) resourceVersions(gvk schema.GroupVersionKind, selector labels.Selector) (want, have map[string]string) {
	scope := []client.ListOption{client.InNamespace(w.namespace), client.MatchingLabelsSelector{Selector: selector}}
	stored := &metav1.PartialObjectMetadataList{}
	stored.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	list, err := w.client.Scheme().New(stored.GroupVersionKind())
	if err != nil {
		panic(err)
	}
	held := list.(client.ObjectList)
	if err := w.client.List(w.ctx, stored, scope...); err != nil {
		panic(err)
	}
	if err := w.cache.List(w.ctx, held, append(scope, client.UnsafeDisableDeepCopy)...); err != nil {
		panic(err)
	}
	return resourceVersionsOf(stored), resourceVersionsOf(held)
}

func resourceVersionsOf(list client.ObjectList) map[string]string {
	versions := map[string]string{}
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		if object, ok := o.(metav1.Object); ok {
			versions[object.GetName()] = object.GetResourceVersion()
		}
		return nil
	})
	return versions
}

// TestReconcilersReadThroughCache brings a network whose pods have a node selector to Ready. The cache keeps
// neither the node selector nor the environment of a pod, so nothing may depend on them.
func TestReconcilersReadThroughCache(t *testing.T) {
	w := newTestEnv(t)
	w.createSmallNetwork("a", "count: 4", "count: 4, scheduling: {nodeSelector: {pool: metal}}")
	w.bringUp("a")
	if !meta.IsStatusConditionTrue(w.getNetwork("a").Status.Conditions, v1alpha1.ConditionReady) {
		t.Fatalf("the network is not ready: %+v", w.getNetwork("a").Status.Conditions)
	}
	w.awaitWrites()
	stored, cached := &corev1.Pod{}, &corev1.Pod{}
	w.mustGet("a-member-0-0", stored)
	must(t, w.operatorClient.Get(w.ctx, client.ObjectKeyFromObject(stored), cached))
	if len(stored.Spec.NodeSelector) != 1 || cached.Spec.NodeSelector != nil || cached.ManagedFields != nil || cached.ResourceVersion != stored.ResourceVersion {
		t.Errorf("the reconcilers read %+v, the API server has %+v", cached.Spec, stored.Spec)
	}
}

// TestCacheBoundsHostileObjects puts objects of close to the largest size into the API server, with forged labels and owners. The
// test of the transform has every kind and the largest numbers.
func TestCacheBoundsHostileObjects(t *testing.T) {
	w := newTestEnv(t)
	owner := metav1.OwnerReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkNetwork", Name: "n", UID: "made-up", Controller: new(true)}
	for i, owners := range [][]metav1.OwnerReference{nil, {owner}} {
		for n := range 4 {
			named := w.objectMeta(fmt.Sprintf("hostile-%d-%d", i, n))
			named.Labels, named.OwnerReferences = naming.ManagedSelector(), owners
			named.Annotations = map[string]string{"a": strings.Repeat("x", 200<<10)}
			text := strings.Repeat("x", 1000<<10)
			must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: named, Data: map[string]string{"text": text}}))
			must(t, w.client.Create(w.ctx, &corev1.Secret{ObjectMeta: named, StringData: map[string]string{"text": text}}))
			must(t, w.client.Create(w.ctx, &corev1.ServiceAccount{ObjectMeta: named, Secrets: []corev1.ObjectReference{{Name: text}}}))
		}
	}
	w.awaitWrites()
	for _, list := range []client.ObjectList{&corev1.ConfigMapList{}, &corev1.SecretList{}, &corev1.ServiceAccountList{}} {
		must(t, w.operatorClient.List(w.ctx, list, client.InNamespace(w.namespace), client.MatchingLabels(naming.ManagedSelector())))
		if n := meta.LenList(list); n != 8 {
			t.Errorf("the cache has %d objects, want 8 in %T", n, list)
		}
		must(t, meta.EachListItem(list, func(o runtime.Object) error {
			if size := kinds.Size(o); size > 32<<10 {
				t.Errorf("the cache keeps %d bytes of %T %s", size, o, o.(metav1.Object).GetName())
			}
			return nil
		}))
	}
	ctx, stop := context.WithCancel(w.ctx)
	defer stop()
	meter, ended := kubecache.NewMeter(w.cache, w.client.Scheme(), controllers.WatchedKinds(controllers.KueueIgnore)...), make(chan error, 1)
	go func() { ended <- meter.Start(ctx) }()
	w.waitFor("the meter counts the objects", func() bool {
		usage := meter.Usage()["ServiceAccount"]
		return usage.Objects >= 8 && usage.Bytes > 8*100
	})
	stop()
	must(t, <-ended)
}
