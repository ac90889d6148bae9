package controllers

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/status"
)

// releaseLead is the time from the release to the start of the load, so that every worker sees the release
// before the start.
const releaseLead = 3 * time.Second

// RunReconciler reconciles BenchmarkRuns.
type RunReconciler struct{ Dependencies }

// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkruns,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkruns/status,verbs=patch
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkruns/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get

// Reconcile makes one pass over a run. A complete run only acknowledges changes of its spec, until its time to
// live is over.
func (r *RunReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	run := &v1alpha1.BenchmarkRun{}
	if err := r.getObject(ctx, req.NamespacedName, run); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if run.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	if run.IsComplete() {
		return r.reconcileComplete(ctx, run)
	}
	pass, err := r.readState(ctx, run)
	if err != nil {
		return ctrl.Result{}, err
	}
	if pass.releaseSlot != nil {
		defer pass.releaseSlot()
	}
	if pass.needsReports() {
		release, err := acquireDecodingSlot(ctx)
		if err != nil {
			return ctrl.Result{}, err
		}
		defer release()
		if err := r.readReports(ctx, pass); err != nil {
			return ctrl.Result{}, err
		}
		if pass.reports.measurement == nil {
			pass.failure = runFailure{v1alpha1.ReasonRunFailed, pass.failureMessage()}
		}
	}
	pass.reconcileErr = r.advanceRun(ctx, pass)
	if isRefused(pass.reconcileErr) && pass.hasNotBegun() { // Other runs on the network need not wait until somebody removes the cause.
		pass.failure, pass.reconcileErr = runFailure{v1alpha1.ReasonProblem, pass.reconcileErr.Error() + "; then create the run again"}, nil
	}
	if apierrors.IsConflict(pass.reconcileErr) { // A status that is computed from outdated objects would be outdated too.
		return ctrl.Result{}, pass.reconcileErr
	}
	before := run.DeepCopy()
	run.Status = status.ComputeRun(pass.statusInput(r.Now()))
	err = patchStatus(ctx, r.Client, r.Recorder, before, run, before.Status.Conditions, run.Status.Conditions)
	if err = errors.Join(err, r.nudgeQuotaBlockedOwners(ctx, pass.snapshot)); err != nil {
		return ctrl.Result{}, errors.Join(pass.reconcileErr, err)
	}
	return requeueOnQuota(pass.requeueResult(r.Now()), pass.reconcileErr)
}

// reconcileComplete deletes what a complete run no longer needs, delivers its result, and deletes it after its time to live.
func (r *RunReconciler) reconcileComplete(ctx context.Context, run *v1alpha1.BenchmarkRun) (ctrl.Result, error) {
	owned, err := r.SnapshotReader.ReadOwned(ctx, run, naming.RunSelector(run.Name))
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := errors.Join(r.acknowledgeState(ctx, run, owned), r.deleteWorkerObjects(ctx, run, owned)); err != nil {
		return ctrl.Result{}, err
	}
	if ended, result, err := r.deliverRun(ctx, run); err != nil || !ended {
		return requeueOnQuota(result, err)
	}
	return r.deleteIfExpired(ctx, run)
}

// acknowledgeState records in the status of a complete run that its current spec was read, and whether its result still exists.
func (r *RunReconciler) acknowledgeState(ctx context.Context, run *v1alpha1.BenchmarkRun, owned *snapshot.Snapshot) error {
	before := run.DeepCopy()
	run.Status.ObservedGeneration = run.Generation
	setObservedGeneration(run.Status.Conditions, run.Generation)
	status.SetResultExists(run, owned.ConfigMap(naming.ResultConfigMap(run.Name)) != nil, r.Now())
	return patchStatus(ctx, r.Client, r.Recorder, before, run, before.Status.Conditions, run.Status.Conditions)
}

// deleteIfExpired deletes a completed run when its time to live is over.
func (r *RunReconciler) deleteIfExpired(ctx context.Context, run *v1alpha1.BenchmarkRun) (ctrl.Result, error) {
	ttl := run.Spec.TTLSecondsAfterFinished
	if ttl == nil || run.Status.CompletionTime == nil {
		return ctrl.Result{}, nil
	}
	return r.deleteAfterDeadline(ctx, run, run.Status.CompletionTime.Add(time.Duration(*ttl)*time.Second))
}

// advanceRun advances the run as far as the observed state allows.
func (r *RunReconciler) advanceRun(ctx context.Context, pass *runPass) error {
	switch {
	case pass.specErr != nil, pass.failure.message != "":
		return nil
	case pass.result != nil:
		return r.cleanUpRun(ctx, pass)
	case pass.run.Spec.Cancelled, pass.networkEvicted:
		return r.stopWorkers(ctx, pass)
	case pass.waitReason.Reason != "":
		return nil
	}
	if why, _ := pass.waitedTooLong(r.Now()); why != "" { // The status reports it if the workers' Job was deleted.
		return r.Writer.Delete(ctx, pass.snapshot.Job(naming.WorkerJob(pass.run.Name)))
	}
	if err := r.addNetworkOwner(ctx, pass.run, pass.network); err != nil {
		return err
	}
	if err := r.releaseWorkers(ctx, pass); err != nil {
		return err
	}
	r.stopWhenSteady(pass)
	objects, err := loadgen.BuildObjects(pass.run, pass.driver, r.Images.Image("agent", ""), pass.barrierRelease)
	if err != nil {
		return err
	}
	objects = pass.withoutUsedObjects(objects)
	if err := r.completePods(pass.network, objects); err != nil {
		return err
	}
	if pass.hasNotBegun() { // A run that cannot write its result need not begin.
		if err := r.Writer.CheckUnused(ctx, pass.run, resultConfigMap(pass.run, nil)); err != nil {
			return err
		}
	}
	if err := r.applyObjects(ctx, pass, objects); err != nil {
		return err
	}
	return r.writeResult(ctx, pass)
}

// releaseLead returns the time from the release to the start: releaseLead and the calibration.
func (p *runPass) releaseLead() time.Duration {
	return releaseLead + p.driver.Workload.Measure.CalibrationDuration()
}

// completePods adds what the network and the operator's configuration add to every pod of a run or an experiment.
func (d *Dependencies) completePods(network *v1alpha1.BenchmarkNetwork, objects []client.Object) error {
	secrets := slices.Concat(d.Images.PullSecrets, network.Spec.ImagePullSecrets)
	return pods.EditTemplates(objects, func(_ client.Object, template *corev1.PodTemplateSpec) error {
		pods.AddMetadata(template, network.Spec.PodTemplate)
		pods.AddCommonLabels(template, network.Spec.CommonLabels)
		pods.AddImagePullSecrets(&template.Spec, secrets)
		d.PodConstraints.RaiseRequests(&template.Spec)
		d.PodConstraints.RemoveUserIDs(&template.Spec)
		return nil
	})
}

func (r *RunReconciler) applyObjects(ctx context.Context, pass *runPass, objects []client.Object) error {
	owner := runOwner(pass.run, pass.network)
	for _, object := range objects {
		if err := r.applyRunObject(ctx, pass, owner, object); err != nil {
			return err
		}
		if pass.releasePending && object.GetName() == naming.BarrierConfigMap(pass.run.Name) {
			pass.releasePending = false
			logRunStart(ctx, pass.run, pass.barrierRelease.Start)
		}
	}
	return nil
}

// applyRunObject applies an object of a run. The Job of a run that was released is never replaced.
func (r *RunReconciler) applyRunObject(ctx context.Context, pass *runPass, owner apply.Owner, object client.Object) error {
	if pass.barrierRelease != nil {
		return r.Writer.Apply(ctx, owner, object, pass.snapshot.LiveObject(object))
	}
	_, err := r.applyOrReplace(ctx, owner, object, pass.snapshot)
	return err
}

// SetupWithManager watches runs, the objects that they own, their workers, and the networks that they wait for.
func (r *RunReconciler) SetupWithManager(mgr ctrl.Manager, concurrency int) error {
	build := ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.BenchmarkRun{}).
		Watches(&v1alpha1.BenchmarkNetwork{}, handler.EnqueueRequestsFromMapFunc(r.mapNetworkToRuns)).
		Watches(&v1alpha1.BenchmarkRun{}, handler.EnqueueRequestsFromMapFunc(r.mapRunToSiblingRuns)).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		WithLogConstructor(newLogConstructor(mgr, "run"))
	if r.Queries != nil {
		build.WatchesRawSource(source.Channel(r.Queries.Done(), &handler.EnqueueRequestForObject{}))
	}
	watchOwnedKinds(build, handler.EnqueueRequestsFromMapFunc(mapByLabel(v1alpha1.LabelRun)))
	return build.Complete(requeueOnConflict(r))
}
