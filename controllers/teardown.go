package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/apply"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/plan"
)

// tearDownFinalizer holds a network that has something to do before it is gone: its members have schemas on a server that outlives it,
// or its results are to be kept.
const tearDownFinalizer = "benchnet.dev/teardown"

// guardTearDown sets the finalizer before anything is made that its owner references would not remove.
func (r *NetworkReconciler) guardTearDown(ctx context.Context, pass *networkPass) error {
	needed := len(pass.plan.Teardown) > 0 || pass.network.Spec.ResultPolicy == v1alpha1.ResultKeep
	if !needed || controllerutil.ContainsFinalizer(pass.network, tearDownFinalizer) {
		return nil
	}
	return r.patchFinalizers(ctx, pass.network, controllerutil.AddFinalizer)
}

// tearDown stops the members, removes what outlives the network, and lets it go. Everything else goes with its owner.
func (r *NetworkReconciler) tearDown(ctx context.Context, pass *networkPass) error {
	if !controllerutil.ContainsFinalizer(pass.network, tearDownFinalizer) {
		return nil
	}
	if err := r.keepResults(ctx, pass); err != nil {
		return err
	}
	if pass.refusal == nil {
		if left, err := r.leaveServers(ctx, pass); err != nil || !left {
			return err
		}
	}
	return r.patchFinalizers(ctx, pass.network, controllerutil.RemoveFinalizer)
}

// leaveServers stops the members and removes what they have on servers that outlive the network; left tells that nothing of it is
// there any more. The record of the epoch is made before anything there is, and goes when that is gone.
func (r *NetworkReconciler) leaveServers(ctx context.Context, pass *networkPass) (left bool, err error) {
	if len(pass.plan.Teardown) == 0 || pass.snapshot.Live(pass.plan.Record) == nil {
		return true, nil
	}
	for _, stage := range pass.plan.Stages {
		if stage.Name == plan.StageMembers {
			if err := r.deleteAll(ctx, pass, stage.Objects); err != nil {
				return false, err
			}
		}
	}
	owner := apply.Owner{Object: pass.network, Labels: networkLabels(pass.network)}
	for _, object := range pass.plan.Teardown {
		if err := r.Writer.Apply(ctx, owner, object, pass.snapshot.Live(object)); err != nil {
			return false, err
		}
	}
	return pass.readiness(plan.Stage{Objects: pass.plan.Teardown}).State == observe.Ready, nil
}

// keepResults lets the runs that have a result go free, if they are to be kept.
func (r *NetworkReconciler) keepResults(ctx context.Context, pass *networkPass) error {
	if pass.network.Spec.ResultPolicy != v1alpha1.ResultKeep {
		return nil
	}
	for _, run := range pass.snapshot.Runs() {
		if run.Status.Result == nil || run.DeletionTimestamp != nil {
			continue
		}
		free := run.DeepCopy()
		free.OwnerReferences = nil
		patch := client.MergeFromWithOptions(run, client.MergeFromWithOptimisticLock{})
		if err := r.Client.Patch(ctx, free, patch); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("keep run %s: %w", run.Name, err)
		}
	}
	return nil
}

func (r *NetworkReconciler) deleteAll(ctx context.Context, pass *networkPass, objects []client.Object) error {
	for _, object := range objects {
		if live := pass.snapshot.Live(object); live != nil {
			if err := r.Writer.Delete(ctx, live); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *NetworkReconciler) patchFinalizers(ctx context.Context, network *v1alpha1.BenchmarkNetwork, change func(client.Object, string) bool) error {
	before := network.DeepCopy()
	if !change(network, tearDownFinalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, network, patch); err != nil {
		return fmt.Errorf("patch finalizers of network %s: %w", network.Name, err)
	}
	return nil
}
