package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/status"
)

// Finalizers of networks that need cleanup before their deletion.
const (
	// teardownFinalizer marks a network whose members have, or may have, schemas on a server that outlives it.
	// It is set before the first schema is created and removed once all are gone. It is the only reliable
	// record: all other objects may be deleted before the network, by hand or by foreground deletion.
	teardownFinalizer = "benchnet.dev/teardown"
	// resultsFinalizer is on a network whose results are kept.
	resultsFinalizer = "benchnet.dev/results"
)

// addFinalizers adds the finalizers before any object is created that garbage collection cannot delete, or must
// not delete.
func (r *NetworkReconciler) addFinalizers(ctx context.Context, pass *networkPass) error {
	var needed []string
	if len(pass.plan.Teardown) > 0 {
		needed = append(needed, teardownFinalizer)
	}
	if pass.network.Spec.ResultRetention == v1alpha1.RetentionRetain {
		needed = append(needed, resultsFinalizer)
	}
	return r.patchFinalizers(ctx, pass.network, controllerutil.AddFinalizer, needed...)
}

// tearDownNetwork stops the members, deletes what would outlive the network, and removes the finalizers.
// Garbage collection deletes everything else.
func (r *NetworkReconciler) tearDownNetwork(ctx context.Context, pass *networkPass) (ctrl.Result, error) {
	servers, err := r.dropExternalSchemas(ctx, pass)
	if err != nil || servers.State != snapshot.StateReady {
		return requeueOnQuota(pass.requeueResult(), errors.Join(err, r.patchTeardownStatus(ctx, pass, servers)))
	}
	return ctrl.Result{}, r.patchFinalizers(ctx, pass.network, controllerutil.RemoveFinalizer, teardownFinalizer, resultsFinalizer)
}

// patchTeardownStatus writes to the status why a network that is being deleted still exists.
func (r *NetworkReconciler) patchTeardownStatus(ctx context.Context, pass *networkPass, servers snapshot.Readiness) error {
	return r.patchNetworkStatus(ctx, pass.network, status.ComputeTeardown(pass.network, servers, teardownFinalizer, r.Now()))
}

// dropExternalSchemas stops the members and drops their schemas on servers that outlive the network. The
// readiness is Ready when no schema is left, or when the operator has no plan by which to drop them. If a step
// fails, the readiness has the error's message.
func (r *NetworkReconciler) dropExternalSchemas(ctx context.Context, pass *networkPass) (snapshot.Readiness, error) {
	if pass.plan == nil || !controllerutil.ContainsFinalizer(pass.network, teardownFinalizer) {
		return snapshot.Readiness{State: snapshot.StateReady}, nil
	}
	for _, stage := range pass.plan.Stages {
		if stage.Name == plan.StageMembers {
			if err := r.deleteLiveObjects(ctx, pass, stage.Objects); err != nil {
				return applyErrorReadiness(err), err
			}
		}
	}
	if errors.Is(pass.externalSecretErr, errNotLabelled) {
		return applyErrorReadiness(pass.externalSecretErr), pass.externalSecretErr
	}
	// During foreground deletion, an object that blocks the deletion of its owner would be deleted as soon as
	// it is created.
	owner := networkOwner(pass.network)
	owner.SkipBlockOwnerDeletion = true
	for _, object := range pass.plan.Teardown {
		err := r.deleteForRecreation(ctx, pass, object)
		if err == nil {
			_, err = r.applyOrReplace(ctx, owner, object, pass.snapshot)
		}
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return snapshot.Readiness{State: snapshot.StateReady}, nil // Nothing can be created here any more, and the namespace's deletion must not be blocked.
		}
		if err != nil {
			return applyErrorReadiness(err), err
		}
	}
	removed := pass.stageReadiness(plan.Stage{Objects: pass.plan.Teardown})
	if removed.State != snapshot.StateReady {
		removed.Message = "schemas on the database server stay: " + removed.Message
		return removed, nil
	}
	return removed, r.patchFinalizers(ctx, pass.network, controllerutil.RemoveFinalizer, teardownFinalizer)
}

// deleteForRecreation deletes the live counterpart of a planned Job that failed only by waiting, once its delay is over. A later pass
// creates the Job again. It does nothing for other objects.
func (r *NetworkReconciler) deleteForRecreation(ctx context.Context, pass *networkPass, planned client.Object) error {
	live := pass.snapshot.LiveObject(planned)
	at, due := pass.snapshot.RecreateAt(live)
	if !due {
		return nil
	}
	if left := at.Sub(r.Now()); left > 0 {
		if pass.jobRecreationDelay == 0 || left < pass.jobRecreationDelay {
			pass.jobRecreationDelay = left
		}
		return nil
	}
	return r.Writer.Delete(ctx, live)
}

// orphanRunsWithResults removes the network's owner reference from runs with a result, if results are kept. It
// does so as soon as a run has its result, since a foreground deletion deletes everything that the network
// still owns.
func (r *NetworkReconciler) orphanRunsWithResults(ctx context.Context, pass *networkPass) error {
	if pass.network.Spec.ResultRetention != v1alpha1.RetentionRetain {
		return nil
	}
	for _, run := range pass.runs {
		if run.Status.Result == nil || run.DeletionTimestamp != nil || !metav1.IsControlledBy(run, pass.network) {
			continue
		}
		if err := r.removeOwnerReferences(ctx, run, isReferenceTo(pass.network.UID)); err != nil {
			return err
		}
	}
	return nil
}

func (r *NetworkReconciler) deleteLiveObjects(ctx context.Context, pass *networkPass, objects []client.Object) error {
	for _, object := range objects {
		if live := pass.snapshot.LiveObject(object); live != nil {
			if err := r.Writer.Delete(ctx, live); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *NetworkReconciler) patchFinalizers(ctx context.Context, network *v1alpha1.BenchmarkNetwork,
	change func(client.Object, string) bool, names ...string) error {
	before, changed := network.DeepCopy(), false
	for _, name := range names {
		changed = change(network, name) || changed
	}
	if !changed {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, network, patch); err != nil {
		return fmt.Errorf("patch finalizers of network %s: %w", network.Name, err)
	}
	log.FromContext(ctx).Info("finalizers changed", "finalizers", network.Finalizers)
	return nil
}
