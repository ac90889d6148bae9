// Package snapshot is the only reader of the objects that the operator makes: what is there, and whether it is ready.
package snapshot

import (
	"context"
	"fmt"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Reader reads through the manager's cache.
type Reader struct {
	client client.Reader
	scheme *runtime.Scheme
}

// NewReader reads through the client.
func NewReader(c client.Reader, scheme *runtime.Scheme) *Reader {
	return &Reader{client: c, scheme: scheme}
}

// Snapshot is what there was of an owner's objects at one moment.
type Snapshot struct {
	owned map[objectKey]client.Object
	// indirectlyOwned are those of the owned that another one controls, with which they go.
	indirectlyOwned map[objectKey]bool
	pods            []corev1.Pod
	// podsByController are the pods by their controller, named by their name: a network may have a thousand of them.
	podsByController map[types.UID][]*corev1.Pod
	podsByName       map[string]*corev1.Pod
	scheme           *runtime.Scheme
	// podCreationFailures are why the pods of StatefulSets could not be made, by the set's UID.
	podCreationFailures map[types.UID]string
}

type objectKey struct {
	kind schema.GroupKind
	name string
}

// ReadOwned reads the objects with the labels that the owner controls, what these control in turn, and the pods with the labels.
func (r *Reader) ReadOwned(ctx context.Context, owner client.Object, labels map[string]string) (*Snapshot, error) {
	s := &Snapshot{owned: map[objectKey]client.Object{}, indirectlyOwned: map[objectKey]bool{}, scheme: r.scheme}
	controlled := map[types.UID][]client.Object{}
	scope := []client.ListOption{client.InNamespace(owner.GetNamespace()), client.MatchingLabels(labels)}
	for _, kind := range OwnedKinds() {
		list, err := NewList(kind, r.scheme)
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

// New is a snapshot of given objects and pods.
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
}

// LiveObject is the object of the same kind and name, or nil.
func (s *Snapshot) LiveObject(o client.Object) client.Object {
	return s.owned[s.keyOf(o)]
}

// IsEmpty tells whether the owner has no objects.
func (s *Snapshot) IsEmpty() bool { return len(s.owned) == 0 }

// Secret of that name, or nil.
func (s *Snapshot) Secret(name string) *corev1.Secret {
	return findObject[*corev1.Secret](s, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// ConfigMap of that name, or nil.
func (s *Snapshot) ConfigMap(name string) *corev1.ConfigMap {
	return findObject[*corev1.ConfigMap](s, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// Job of that name, or nil.
func (s *Snapshot) Job(name string) *batchv1.Job {
	return findObject[*batchv1.Job](s, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// StatefulSet of that name, or nil.
func (s *Snapshot) StatefulSet(name string) *appsv1.StatefulSet {
	return findObject[*appsv1.StatefulSet](s, &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// Runs of the owner, oldest first.
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

// IsOlder orders objects by creation, then by name.
func IsOlder(a, b client.Object) bool {
	at, bt := a.GetCreationTimestamp(), b.GetCreationTimestamp()
	if !at.Equal(&bt) {
		return at.Before(&bt)
	}
	return a.GetName() < b.GetName()
}

// Pods with the labels of the snapshot.
func (s *Snapshot) Pods() []corev1.Pod { return s.pods }

// ControlledPods returns the pods whose controller reference has the UID of the object.
func (s *Snapshot) ControlledPods(controller client.Object) []corev1.Pod {
	pods := make([]corev1.Pod, 0, len(s.podsByController[controller.GetUID()]))
	for _, pod := range s.podsByController[controller.GetUID()] {
		pods = append(pods, *pod)
	}
	return pods
}

// Pod of that name, or nil.
func (s *Snapshot) Pod(name string) *corev1.Pod { return s.podsByName[name] }

// UnplannedObjects are the owned objects that none of the planned ones stands for, in a stable order. What goes with another is left out.
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

// addControlled over what the owner controls, and what that controls in turn.
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
