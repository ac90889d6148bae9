package controllers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/queue"
	"github.com/benchnet/benchnet/internal/status"
)

// RoomPolicy says whether a network waits until the nodes have room for all of it.
type RoomPolicy string

// The policies.
const (
	RoomNever  RoomPolicy = "Never"
	RoomAlways RoomPolicy = "Always"
)

// Queue decides which networks may begin.
//
// One worker decides, about all networks at a time. The cache may not show yet what was decided before, so the queue remembers
// whom it gave a place until that is in the network's own status. A new leader knows from there who has one: nobody begins before
// it is written. What the queue gave and nobody took before the leader died, the next one gives anew.
type Queue struct {
	Dependencies
	limits queue.Limits
	room   RoomPolicy
	// turns asks the network controller for networks about which something new was decided; looks asks the queue itself to look.
	turns, looks chan event.GenericEvent
	// needs of networks, kept since they cost a plan each; touched by the one worker alone.
	needs map[types.UID]knownNeeds

	mu sync.Mutex
	// decisions about networks whose status does not say that they were admitted.
	decisions map[types.UID]queue.Decision
	// refused are networks whose spec cannot be carried out: they need no place. False is known to be possible.
	refused map[types.UID]bool
	uses    []queue.Use
	waits   *prometheus.HistogramVec
}

// NewQueue of those limits; nil where nothing is limited.
func NewQueue(d Dependencies, limits queue.Limits, room RoomPolicy) *Queue {
	if !limits.Set() && room != RoomAlways {
		return nil
	}
	return &Queue{Dependencies: d, limits: limits, room: room, needs: map[types.UID]knownNeeds{},
		turns: make(chan event.GenericEvent, 1024), looks: make(chan event.GenericEvent, 1),
		decisions: map[types.UID]queue.Decision{}, refused: map[types.UID]bool{}, waits: newWaits()}
}

// ask for the decision about a network that can be carried out; zero without a queue. There may be none yet: the queue then looks, and
// asks for the network.
func (q *Queue) ask(network *v1alpha1.BenchmarkNetwork) (queue.Decision, bool) {
	if q == nil {
		return queue.Decision{}, true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refused[network.UID] = false
	d, ok := q.decisions[network.UID]
	if !ok {
		q.look(network)
	}
	return d, ok
}

// look at all networks soon.
func (q *Queue) look(because *v1alpha1.BenchmarkNetwork) {
	select {
	case q.looks <- event.GenericEvent{Object: because}:
	default: // It is asked already.
	}
}

// refuse a network that cannot be carried out: a place that it was given, and has not taken, goes to the next.
func (q *Queue) refuse(network *v1alpha1.BenchmarkNetwork) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refused[network.UID] = true
	if _, decided := q.decisions[network.UID]; decided {
		delete(q.decisions, network.UID)
		q.look(network)
	}
}

// Reconcile looks at all networks once. Many events may have led to it.
func (q *Queue) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	var networks v1alpha1.BenchmarkNetworkList
	if err := q.Client.List(ctx, &networks, client.UnsafeDisableDeepCopy); err != nil {
		return ctrl.Result{}, fmt.Errorf("list networks: %w", err)
	}
	left, err := q.leftovers(ctx, networks.Items)
	if err != nil {
		return ctrl.Result{}, err
	}
	cluster, err := q.cluster(ctx, networks.Items)
	if err != nil {
		return ctrl.Result{}, err
	}
	outcome, changed := q.decide(networks.Items, left, cluster)
	for _, n := range changed {
		select {
		case q.turns <- event.GenericEvent{Object: n}:
		case <-ctx.Done():
			return ctrl.Result{}, ctx.Err()
		}
	}
	if outcome.NoRoom {
		return ctrl.Result{RequeueAfter: recheck}, nil
	}
	return ctrl.Result{}, nil
}

// decide about all networks, and tell about which something new was decided.
func (q *Queue) decide(networks []v1alpha1.BenchmarkNetwork, left []queue.Network, cluster *cluster) (queue.Outcome, []client.Object) {
	q.mu.Lock()
	defer q.mu.Unlock()
	entries := left
	there := map[types.UID]*v1alpha1.BenchmarkNetwork{}
	for i := range networks {
		n := &networks[i]
		if q.byKueue(n) {
			continue
		}
		there[n.UID] = n
		holds := status.Admitted(n) || q.decisions[n.UID].Admitted
		if holds || !q.impossible(n) && n.DeletionTimestamp == nil {
			entries = append(entries, entry(n, holds))
		}
	}
	q.forget(there)
	outcome := queue.Decide(q.limits, entries, q.roomIn(cluster, there, entries))
	q.uses = outcome.Uses
	var changed []client.Object
	for uid, d := range outcome.Decisions {
		if q.decisions[uid] != d {
			q.decisions[uid] = d
			changed = append(changed, there[uid])
			if d.Admitted {
				q.waited(there[uid], d)
			}
		}
	}
	return outcome, changed
}

// impossible tells whether a network's spec cannot be carried out, by what its controller said last, or its status.
func (q *Queue) impossible(n *v1alpha1.BenchmarkNetwork) bool {
	if refused, known := q.refused[n.UID]; known {
		return refused
	}
	return status.Refused(n)
}

// forget networks that are gone, and decisions that are in their networks' status.
func (q *Queue) forget(there map[types.UID]*v1alpha1.BenchmarkNetwork) {
	for uid := range q.decisions {
		if n := there[uid]; n == nil || status.Admitted(n) {
			delete(q.decisions, uid)
		}
	}
	for uid := range q.refused {
		if there[uid] == nil {
			delete(q.refused, uid)
		}
	}
	for uid := range q.needs {
		if there[uid] == nil {
			delete(q.needs, uid)
		}
	}
}

func entry(n *v1alpha1.BenchmarkNetwork, holds bool) queue.Network {
	e := queue.Network{UID: n.UID, Namespace: n.Namespace, Name: n.Name, Priority: n.Spec.Priority, Created: n.CreationTimestamp.Time,
		NodeSelector: n.Spec.Members.Placement.NodeSelector, Holds: holds}
	e.Group, e.GroupSize = groupOf(n)
	switch {
	case n.DeletionTimestamp != nil:
		e.Note = "being deleted"
	case n.Status.Phase == "Finished": // Words for people.
		e.Note = "finished"
	}
	return e
}

// groupOf networks that begin together; empty: it begins by itself.
func groupOf(n *v1alpha1.BenchmarkNetwork) (name string, size int) {
	size, err := strconv.Atoi(n.Annotations[v1alpha1.AnnotationGroupSize])
	if err != nil {
		return n.Labels[v1alpha1.LabelGroup], 1 // All of it that is there.
	}
	return n.Labels[v1alpha1.LabelGroup], size
}

// leftovers are networks that are gone while pods of theirs are not: these use the nodes still. Nobody asks as long as nobody waits.
func (q *Queue) leftovers(ctx context.Context, networks []v1alpha1.BenchmarkNetwork) ([]queue.Network, error) {
	there := map[types.NamespacedName]bool{}
	waiting := false
	for i := range networks {
		there[client.ObjectKeyFromObject(&networks[i])] = true
		waiting = waiting || !status.Admitted(&networks[i])
	}
	if !waiting {
		return nil, nil
	}
	var pods corev1.PodList
	if err := q.Client.List(ctx, &pods, client.HasLabels{v1alpha1.LabelNetwork}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list pods of networks: %w", err)
	}
	gone := map[types.NamespacedName]int{}
	var all []queue.Network
	for i := range pods.Items {
		pod := &pods.Items[i]
		key := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Labels[v1alpha1.LabelNetwork]}
		if there[key] || ended(pod) {
			continue
		}
		at, known := gone[key]
		if !known {
			at = len(all)
			gone[key] = at
			uid := types.UID("pods of " + key.String())
			all = append(all, queue.Network{UID: uid, Namespace: key.Namespace, Name: key.Name, Holds: true, Note: "its pods are stopping"})
		}
		if len(pod.Spec.NodeSelector) > len(all[at].NodeSelector) {
			all[at].NodeSelector = pod.Spec.NodeSelector
		}
	}
	return all, nil
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// Uses of the pools when the queue was looked at last.
func (q *Queue) Uses() []queue.Use {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.uses)
}

// theQueue is what all events lead to: there is one, and one worker.
var theQueue = []reconcile.Request{{NamespacedName: types.NamespacedName{Name: "queue"}}}

// SetupWithManager watches what gives and takes places: networks, and pods that stop.
func (q *Queue) SetupWithManager(mgr ctrl.Manager) error {
	look := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request { return theQueue })
	return ctrl.NewControllerManagedBy(mgr).Named("queue").
		Watches(&v1alpha1.BenchmarkNetwork{}, look, builder.WithPredicates(concernsQueue())).
		Watches(&corev1.Pod{}, look, builder.WithPredicates(stops())).
		WatchesRawSource(source.Channel(q.looks, look)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 1}).
		Complete(q)
}

// concernsQueue leaves out what becomes of a network that changes nothing for others.
func concernsQueue() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(u event.UpdateEvent) bool {
		before, ok := u.ObjectOld.(*v1alpha1.BenchmarkNetwork)
		after, same := u.ObjectNew.(*v1alpha1.BenchmarkNetwork)
		if !ok || !same {
			return true
		}
		return before.Generation != after.Generation || (before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) ||
			before.Status.Phase != after.Status.Phase || status.Admitted(before) != status.Admitted(after)
	}}
}

// stops is of pods that are gone.
func stops() predicate.Predicate {
	return predicate.Funcs{CreateFunc: func(event.CreateEvent) bool { return false }, UpdateFunc: func(event.UpdateEvent) bool { return false }}
}
