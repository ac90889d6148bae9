package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/admission"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/status"
)

// mapByLabel returns a handler that requests the object named by a label.
func mapByLabel(label string) handler.MapFunc {
	return func(_ context.Context, object client.Object) []reconcile.Request {
		name, ok := object.GetLabels()[label]
		if !ok {
			return nil
		}
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: name}}}
	}
}

// WatchedKinds returns an object of each kind whose objects tenants create and the controllers watch.
func WatchedKinds(kueue KueueMode) []client.Object {
	all := []client.Object{&v1alpha1.BenchmarkNetwork{}, &v1alpha1.BenchmarkExperiment{}, &corev1.Pod{}}
	for _, kind := range kinds.Owned() {
		all = append(all, kind.Object)
	}
	if kueue == KueueHonor {
		all = append(all, &kueuev1beta2.Workload{})
	}
	return all
}

// watchOwnedKinds makes a controller watch pods and all kinds that the operator creates, so that a deleted or changed object is
// restored at once. The watches share the informers that snapshots read from.
func watchOwnedKinds(build *builder.Builder, h handler.EventHandler) {
	build.Watches(&corev1.Pod{}, h)
	for _, kind := range kinds.Owned() {
		if !kind.UserCreated { // Each controller sets up its own watches of runs.
			build.Watches(kind.Object, h)
		}
	}
}

// freesPlacePredicate passes networks that stop waiting or free their place: they are deleted, have an invalid
// spec, or are left to Kueue.
func freesPlacePredicate() predicate.Predicate {
	waits := func(o client.Object) bool {
		n, ok := o.(*v1alpha1.BenchmarkNetwork)
		return ok && n.DeletionTimestamp == nil && !status.HasInvalidSpec(n) && n.Labels[admission.QueueLabel] == ""
	}
	return predicate.Funcs{CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(u event.UpdateEvent) bool { return waits(u.ObjectOld) && !waits(u.ObjectNew) }}
}

// deletionPredicate passes only deletions.
func deletionPredicate() predicate.Predicate {
	return predicate.Funcs{CreateFunc: func(event.CreateEvent) bool { return false }, UpdateFunc: func(event.UpdateEvent) bool { return false }}
}

func mapRunToNetwork(_ context.Context, object client.Object) []reconcile.Request {
	run, ok := object.(*v1alpha1.BenchmarkRun)
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: run.Namespace, Name: run.Spec.NetworkName}}}
}

// mapNetworkToRuns requests the unfinished runs on a network that changed.
func (r *RunReconciler) mapNetworkToRuns(ctx context.Context, network client.Object) []reconcile.Request {
	return r.requestRunsOnNetwork(ctx, network.GetNamespace(), network.GetName(), "")
}

// mapRunToSiblingRuns requests the other unfinished runs on the network of a completed run, since one of them
// may be next.
func (r *RunReconciler) mapRunToSiblingRuns(ctx context.Context, object client.Object) []reconcile.Request {
	run, ok := object.(*v1alpha1.BenchmarkRun)
	if !ok || !run.IsComplete() {
		return nil
	}
	return r.requestRunsOnNetwork(ctx, run.Namespace, run.Spec.NetworkName, run.Name)
}

func (r *RunReconciler) requestRunsOnNetwork(ctx context.Context, namespace, network, except string) []reconcile.Request {
	runs, err := listRunsOnNetwork(ctx, r.Client, namespace, network)
	if err != nil {
		return nil // The cache cannot fail once it has started.
	}
	var all []reconcile.Request
	for _, run := range runs {
		if run.Name != except && !run.IsComplete() {
			all = append(all, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(run)})
		}
	}
	return all
}
