// Package snapshot is the only reader of the objects that the operator creates: which exist, and whether they
// are ready.
package snapshot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// Reader reads snapshots through the manager's cache.
type Reader struct {
	client client.Reader
	scheme *runtime.Scheme
}

// NewReader returns a Reader that uses the client.
func NewReader(c client.Reader, scheme *runtime.Scheme) *Reader {
	return &Reader{client: c, scheme: scheme}
}

// Snapshot holds the objects of an owner at one moment.
type Snapshot struct {
	owned map[objectKey]client.Object
	// indirectlyOwned marks the owned objects that another owned object controls; they are deleted with it.
	indirectlyOwned map[objectKey]bool
	pods            []corev1.Pod
	// podsByController and podsByName index the pods, by the UID of their controller and by name: a network may
	// have a thousand.
	podsByController map[types.UID][]*corev1.Pod
	podsByName       map[string]*corev1.Pod
	scheme           *runtime.Scheme
	// podCreationFailures holds why the pods of StatefulSets and Jobs could not be created, by the UID of the
	// StatefulSet or Job.
	podCreationFailures map[types.UID]string
	// podWarnings holds the latest warnings about pods that do not become ready, by UID.
	podWarnings map[types.UID]string
}

type objectKey struct {
	kind schema.GroupKind
	name string
}

// ReadOwned reads the objects with the labels that the owner controls, the objects which these control in turn,
// and the pods with the labels.
func (r *Reader) ReadOwned(ctx context.Context, owner client.Object, labels map[string]string) (*Snapshot, error) {
	s := &Snapshot{owned: map[objectKey]client.Object{}, indirectlyOwned: map[objectKey]bool{}, scheme: r.scheme}
	controlled := map[types.UID][]client.Object{}
	scope := []client.ListOption{client.InNamespace(owner.GetNamespace()), client.MatchingLabels(labels)}
	for _, kind := range kinds.Owned() {
		list, err := NewList(kind.Object, r.scheme)
		if err != nil {
			return nil, err
		}
		if err := r.client.List(ctx, list, scope...); err != nil {
			return nil, fmt.Errorf("list %T of %s: %w", list, owner.GetName(), err)
		}
		objects, err := extractObjects(list)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			if ref := metav1.GetControllerOfNoCopy(o); ref != nil {
				controlled[ref.UID] = append(controlled[ref.UID], o)
			}
		}
	}
	s.addControlled(owner.GetUID(), controlled)
	var pods corev1.PodList
	if err := r.client.List(ctx, &pods, scope...); err != nil {
		return nil, fmt.Errorf("list pods of %s: %w", owner.GetName(), err)
	}
	s.indexPods(pods.Items)
	return s, nil
}

// New returns a snapshot of the given objects and pods.
func New(scheme *runtime.Scheme, objects []client.Object, pods []corev1.Pod) *Snapshot {
	s := &Snapshot{owned: map[objectKey]client.Object{}, scheme: scheme}
	for _, o := range objects {
		s.owned[s.keyOf(o)] = o
	}
	s.indexPods(pods)
	return s
}

func (s *Snapshot) indexPods(pods []corev1.Pod) {
	s.pods = pods
	s.podsByController = make(map[types.UID][]*corev1.Pod, len(pods))
	s.podsByName = make(map[string]*corev1.Pod, len(pods))
	for i := range pods {
		pod := &pods[i]
		s.podsByName[pod.Name] = pod
		if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
			s.podsByController[ref.UID] = append(s.podsByController[ref.UID], pod)
		}
	}
	for _, controlled := range s.podsByController { // The cache has no order. The latest pod of a Job explains best why it failed.
		slices.SortFunc(controlled, func(a, b *corev1.Pod) int {
			return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
		})
	}
}

// LiveObject returns the owned object of the same kind and name, or nil.
func (s *Snapshot) LiveObject(o client.Object) client.Object {
	return s.owned[s.keyOf(o)]
}

// IsEmpty reports whether the owner has no objects.
func (s *Snapshot) IsEmpty() bool { return len(s.owned) == 0 }

// Secret returns the Secret of that name, or nil.
func (s *Snapshot) Secret(name string) *corev1.Secret {
	return findObject[*corev1.Secret](s, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// ConfigMap returns the ConfigMap of that name, or nil.
func (s *Snapshot) ConfigMap(name string) *corev1.ConfigMap {
	return findObject[*corev1.ConfigMap](s, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// LoadTexts replaces a ConfigMap by that of the API server if the cache has only digests of its texts.
func (s *Snapshot) LoadTexts(ctx context.Context, direct client.Reader, name string) error {
	cached := s.ConfigMap(name)
	if cached == nil || !kinds.HasDigests(cached) {
		return nil
	}
	live := &corev1.ConfigMap{}
	if err := direct.Get(ctx, client.ObjectKeyFromObject(cached), live); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("get ConfigMap %s: %w", client.ObjectKeyFromObject(cached), err))
	}
	if live.UID == cached.UID {
		s.owned[s.keyOf(cached)] = live
	}
	return nil
}

// Job returns the Job of that name, or nil.
func (s *Snapshot) Job(name string) *batchv1.Job {
	return findObject[*batchv1.Job](s, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// StatefulSet returns the StatefulSet of that name, or nil.
func (s *Snapshot) StatefulSet(name string) *appsv1.StatefulSet {
	return findObject[*appsv1.StatefulSet](s, &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// Runs returns the owner's runs, oldest first.
func (s *Snapshot) Runs() []*v1alpha1.BenchmarkRun {
	var runs []*v1alpha1.BenchmarkRun
	for _, o := range s.owned {
		if run, ok := o.(*v1alpha1.BenchmarkRun); ok {
			runs = append(runs, run)
		}
	}
	sort.Slice(runs, func(i, j int) bool { return IsOlder(runs[i], runs[j]) })
	return runs
}

// IsOlder reports whether a was created before b. Objects of the same time are ordered by name.
func IsOlder(a, b client.Object) bool {
	at, bt := a.GetCreationTimestamp(), b.GetCreationTimestamp()
	if !at.Equal(&bt) {
		return at.Before(&bt)
	}
	return a.GetName() < b.GetName()
}

// Pods returns the pods with the labels of the snapshot.
func (s *Snapshot) Pods() []corev1.Pod { return s.pods }

// ControlledPods returns the pods whose controller reference has the UID of the object.
func (s *Snapshot) ControlledPods(controller client.Object) []corev1.Pod {
	pods := make([]corev1.Pod, 0, len(s.podsByController[controller.GetUID()]))
	for _, pod := range s.podsByController[controller.GetUID()] {
		pods = append(pods, *pod)
	}
	return pods
}

// Pod returns the pod of that name, or nil.
func (s *Snapshot) Pod(name string) *corev1.Pod { return s.podsByName[name] }

// UnplannedObjects returns the owned objects that are not planned, in a stable order. It leaves out objects
// that are deleted with another one.
func (s *Snapshot) UnplannedObjects(planned []client.Object) []client.Object {
	keep := make(map[objectKey]bool, len(planned))
	for _, o := range planned {
		keep[s.keyOf(o)] = true
	}
	var rest []client.Object
	for k, o := range s.owned {
		if !keep[k] && !s.indirectlyOwned[k] {
			rest = append(rest, o)
		}
	}
	sort.Slice(rest, func(i, j int) bool {
		a, b := s.keyOf(rest[i]), s.keyOf(rest[j])
		return a.kind.Kind+"/"+a.name < b.kind.Kind+"/"+b.name
	})
	return rest
}

// addControlled adds the objects that the owner controls, and the objects that these control in turn.
func (s *Snapshot) addControlled(owner types.UID, controlled map[types.UID][]client.Object) {
	for _, o := range controlled[owner] {
		s.owned[s.keyOf(o)] = o
		for _, part := range controlled[o.GetUID()] {
			s.owned[s.keyOf(part)], s.indirectlyOwned[s.keyOf(part)] = part, true
		}
	}
}

func (s *Snapshot) keyOf(o client.Object) objectKey {
	gvk, err := apiutil.GVKForObject(o, s.scheme)
	if err != nil {
		// Every kind that is read or planned is registered; apply reports the one that is not.
		gvk = schema.GroupVersionKind{Kind: fmt.Sprintf("%T", o)}
	}
	return objectKey{kind: gvk.GroupKind(), name: o.GetName()}
}

func findObject[T client.Object](s *Snapshot, o client.Object) T {
	var none T
	if live, ok := s.LiveObject(o).(T); ok {
		return live
	}
	return none
}

// NewList returns an empty typed list of objects of the kind.
func NewList(kind client.Object, scheme *runtime.Scheme) (client.ObjectList, error) {
	gvk, err := apiutil.GVKForObject(kind, scheme)
	if err != nil {
		return nil, fmt.Errorf("find the kind of %T: %w", kind, err)
	}
	list, err := scheme.New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err != nil {
		return nil, fmt.Errorf("create list of %s: %w", gvk.Kind, err)
	}
	typed, ok := list.(client.ObjectList)
	if !ok {
		return nil, fmt.Errorf("create list of %s: %T is not a list of objects", gvk.Kind, list)
	}
	return typed, nil
}

func extractObjects(list client.ObjectList) ([]client.Object, error) {
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, fmt.Errorf("items of %T: %w", list, err)
	}
	objects := make([]client.Object, 0, len(items))
	for _, item := range items {
		if o, ok := item.(client.Object); ok {
			objects = append(objects, o)
		}
	}
	return objects, nil
}
