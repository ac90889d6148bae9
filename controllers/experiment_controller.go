package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment/preflight"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/status"
)

// ExperimentReconciler reconciles BenchmarkExperiments. It creates networks and runs one after the other and
// evaluates the results.
type ExperimentReconciler struct {
	Dependencies
	// endedRuns caches the results of ended runs by UID, so that each result is decoded only once.
	endedRuns sync.Map
	// checkedRuns holds the UIDs of runs whose specs, which are immutable, are those that the experiment planned.
	checkedRuns sync.Map
	// preflights holds the last checks of experiments that wait.
	preflights preflightTracker
	// rejectedDocuments holds, by the experiment's UID, the rejectedDocument of each experiment whose stored
	// result is unusable.
	rejectedDocuments sync.Map
}

// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkexperiments,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkexperiments/status,verbs=patch
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkexperiments/finalizers,verbs=update
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarknetworks,verbs=create
// +kubebuilder:rbac:groups="",resources=nodes,verbs=list

// Reconcile makes one pass over an experiment. The next step follows from the runs that exist.
func (r *ExperimentReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	e := &v1alpha1.BenchmarkExperiment{}
	if err := r.getObject(ctx, req.NamespacedName, e); err != nil {
		r.preflights.forgetExperiment(req.NamespacedName)
		if !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
		return r.releaseQuota(ctx, req.NamespacedName)
	}
	if e.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // Garbage collection deletes its networks and runs.
	}
	switch {
	case e.IsComplete():
		r.preflights.forgetExperiment(req.NamespacedName)
		r.rejectedDocuments.Delete(e.UID)
		return r.finishExperiment(ctx, e)
	case status.HasPassedPreflight(e):
		r.preflights.forgetExperiment(req.NamespacedName)
	default:
		if left := r.preflights.remainingDelay(e, r.Now()); left > 0 {
			return ctrl.Result{RequeueAfter: left}, nil
		}
	}
	pass, err := r.readAndPlan(ctx, e)
	if err != nil {
		return ctrl.Result{}, err
	}
	if pass.step != nil {
		pass.reconcileErr = r.advanceExperiment(ctx, pass)
	}
	if apierrors.HasStatusCause(pass.reconcileErr, corev1.NamespaceTerminatingCause) {
		return ctrl.Result{}, nil
	}
	before := e.DeepCopy()
	e.Status = status.ComputeExperiment(pass.statusInput(r.Now()))
	err = patchStatus(ctx, r.Client, r.Recorder, before, e, before.Status.Conditions, e.Status.Conditions)
	if err != nil {
		return ctrl.Result{}, errors.Join(pass.reconcileErr, err)
	}
	if pass.isWaiting() {
		left := r.preflights.remainingDelay(e, r.Now())
		log.FromContext(ctx).Info("experiment waits", "for", meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionReady).Message, "retryAfter", left)
		return ctrl.Result{RequeueAfter: left}, nil
	}
	return requeueOnQuota(ctrl.Result{RequeueAfter: pass.pollAfter}, pass.reconcileErr)
}

// finishExperiment returns the quota of a complete experiment, reports its end, and deletes it when its time is over.
func (r *ExperimentReconciler) finishExperiment(ctx context.Context, e *v1alpha1.BenchmarkExperiment) (ctrl.Result, error) {
	if err := r.acknowledgeGeneration(ctx, e); err != nil {
		return ctrl.Result{}, err
	}
	poll, err := r.releaseQuota(ctx, client.ObjectKeyFromObject(e))
	if err != nil {
		return ctrl.Result{}, err
	}
	ended, result, err := r.deliverExperiment(ctx, e)
	if ended && err == nil {
		result, err = r.deleteIfExpired(ctx, e)
	}
	// The earlier of the two; 0 is never.
	result.RequeueAfter = cmp.Or(min(result.RequeueAfter, poll.RequeueAfter), result.RequeueAfter, poll.RequeueAfter)
	return requeueOnQuota(result, err)
}

// advanceExperiment creates the networks and runs that are due and deletes the networks that are no longer
// needed. It writes the result when the experiment is done.
func (r *ExperimentReconciler) advanceExperiment(ctx context.Context, pass *experimentPass) error {
	if err := r.checkCreatedRuns(pass); err != nil {
		return err
	}
	var err error
	if pass.admission, err = r.reconcileKueueWorkload(ctx, pass); err != nil {
		return err
	}
	if pass.admission != (status.AdmissionDecision{}) {
		return nil // It begins in the next pass, after the admission is written, or waits.
	}
	owner := experimentOwner(pass.experiment)
	if pass.step.IsDone() {
		if err := r.writeResult(ctx, pass, owner); err != nil {
			return err
		}
	}
	if err := r.deleteNetworksExcept(ctx, pass, pass.step.DesiredNetworks); err != nil {
		return err
	}
	for _, i := range pass.step.DesiredNetworks {
		if pass.networks[pass.design.Networks[i].Name] != nil {
			continue
		}
		network, _, err := preflight.BuildNetwork(r.Platforms, pass.experiment, pass.design, i)
		if err != nil {
			return err
		}
		if err := r.Writer.Apply(ctx, owner, network, nil); err != nil {
			return err
		}
	}
	for i := range pass.step.RunsToCreate {
		if err := r.Writer.Apply(ctx, owner, pass.design.BuildRun(pass.experiment, &pass.step.RunsToCreate[i]), nil); err != nil {
			return err
		}
	}
	return nil
}

// deleteNetworksExcept deletes the experiment's networks but those of the kept indexes into the design, with foreground propagation.
func (r *ExperimentReconciler) deleteNetworksExcept(ctx context.Context, pass *experimentPass, kept []int) error {
	keptNames := map[string]bool{}
	for _, i := range kept {
		keptNames[pass.design.Networks[i].Name] = true
	}
	for name, network := range pass.networks {
		if !keptNames[name] {
			if err := r.Writer.DeleteForeground(ctx, network); err != nil {
				return err
			}
		}
	}
	return nil
}

// acknowledgeGeneration records in the status of a complete experiment that its current spec was read.
func (r *ExperimentReconciler) acknowledgeGeneration(ctx context.Context, e *v1alpha1.BenchmarkExperiment) error {
	before := e.DeepCopy()
	e.Status.ObservedGeneration = e.Generation
	setObservedGeneration(e.Status.Conditions, e.Generation)
	return patchStatus(ctx, r.Client, r.Recorder, before, e, before.Status.Conditions, e.Status.Conditions)
}

// deleteIfExpired deletes a completed experiment when its time to live is over and no run uploads its result or notifies its
// webhook.
func (r *ExperimentReconciler) deleteIfExpired(ctx context.Context, e *v1alpha1.BenchmarkExperiment) (ctrl.Result, error) {
	ttl := e.Spec.TTLSecondsAfterFinished
	if ttl == nil || e.Status.CompletionTime == nil {
		return ctrl.Result{}, nil
	}
	var runs v1alpha1.BenchmarkRunList
	if err := r.Client.List(ctx, &runs, client.InNamespace(e.Namespace), client.MatchingLabels(naming.ExperimentSelector(e.Name))); err != nil {
		return ctrl.Result{}, fmt.Errorf("list runs of experiment %s: %w", e.Name, err)
	}
	for i := range runs.Items {
		if metav1.IsControlledBy(&runs.Items[i], e) && runs.Items[i].IsDelivering() {
			return ctrl.Result{}, nil // The end of the delivery changes the run, which is watched.
		}
	}
	return r.deleteAfterDeadline(ctx, e, e.Status.CompletionTime.Add(time.Duration(*ttl)*time.Second))
}

// forgetRun drops what is cached of a deleted run.
func (r *ExperimentReconciler) forgetRun(uid types.UID) {
	r.endedRuns.Delete(uid)
	r.checkedRuns.Delete(uid)
}

// SetupWithManager watches experiments, the networks, runs and Jobs that they own, and the deletion of any network.
func (r *ExperimentReconciler) SetupWithManager(mgr ctrl.Manager, concurrency int) error {
	build := ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.BenchmarkExperiment{}).
		Owns(&v1alpha1.BenchmarkNetwork{}, builder.WithPredicates(existencePredicate())).
		Owns(&v1alpha1.BenchmarkRun{}, builder.WithPredicates(runLifecyclePredicate(r.forgetRun))).
		Owns(&batchv1.Job{}).
		Watches(&v1alpha1.BenchmarkNetwork{}, handler.EnqueueRequestsFromMapFunc(r.mapToWaitingExperiments), builder.WithPredicates(deletionPredicate())).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		WithLogConstructor(newLogConstructor(mgr, "experiment"))
	if r.Kueue == KueueHonor {
		build.Owns(&kueuev1beta2.Workload{})
	}
	return build.Complete(requeueOnConflict(r))
}
