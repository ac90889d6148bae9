package controllers

import (
	"context"
	"errors"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/apply"
	"github.com/benchnet/benchnet/internal/driver"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/pods"
	"github.com/benchnet/benchnet/internal/status"
)

// releaseLead is how far ahead of the release all workers are told of it, so that none learns of it too late.
const releaseLead = 3 * time.Second

// RunReconciler measures BenchmarkRuns.
type RunReconciler struct{ Dependencies }

// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkruns,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkruns/status,verbs=patch
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkruns/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get

// Reconcile makes one pass over a run. A run that has ended is never touched again, until its time is over.
func (r *RunReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	run := &v1alpha1.BenchmarkRun{}
	if err := r.Client.Get(ctx, req.NamespacedName, run); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if run.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	if status.RunEnded(run) {
		return r.expire(ctx, run)
	}
	pass, err := r.gather(ctx, run)
	if err != nil {
		return ctrl.Result{}, err
	}
	if pass.release != nil {
		defer pass.release()
	}
	if pass.refusal == nil && pass.result == nil && pass.failure.message == "" && pass.workersEnded() {
		release, err := acquireDecodingSlot(ctx)
		if err != nil {
			return ctrl.Result{}, err
		}
		defer release()
		if err := r.readReports(ctx, pass); err != nil {
			return ctrl.Result{}, err
		}
		if pass.reports.merged == nil {
			pass.failure = failedRun{v1alpha1.ReasonRunFailed, pass.failureMessage()}
		}
	}
	pass.problem = r.measure(ctx, pass)
	before := run.DeepCopy()
	run.Status = status.Run(pass.statusInput(r.Now()))
	err = writeStatus(ctx, r.Client, r.Events, before, run, before.Status.Conditions, run.Status.Conditions)
	if err = errors.Join(err, r.retryPods(ctx, pass.snapshot)); err != nil {
		return ctrl.Result{}, errors.Join(pass.problem, err)
	}
	return patient(pass.retry(r.Now()), pass.problem)
}

// expire deletes a run that is over when its time is.
func (r *RunReconciler) expire(ctx context.Context, run *v1alpha1.BenchmarkRun) (ctrl.Result, error) {
	ttl := run.Spec.TTLSecondsAfterFinished
	if ttl == nil || run.Status.CompletionTime == nil {
		return ctrl.Result{}, nil
	}
	return r.deleteAt(ctx, run, run.Status.CompletionTime.Add(time.Duration(*ttl)*time.Second))
}

// measure takes the run as far as what was observed allows.
func (r *RunReconciler) measure(ctx context.Context, pass *runPass) error {
	switch {
	case pass.refusal != nil, pass.failure.message != "":
		return nil
	case pass.result != nil:
		return r.tidy(ctx, pass)
	case pass.waiting.Reason != "":
		return nil
	}
	if why, _ := pass.waitedTooLong(r.Now()); why != "" { // The status says so when the workers' Job is deleted.
		return r.Writer.Delete(ctx, pass.snapshot.Job(pass.run.Name))
	}
	if err := r.adopt(ctx, pass.run, pass.network); err != nil {
		return err
	}
	if err := r.release(pass); err != nil {
		return err
	}
	r.stop(pass)
	objects, err := driver.Objects(pass.run, pass.driver, r.Images.Image("agent", ""), pass.released)
	if err != nil {
		return err
	}
	pods.PullWith(objects, r.Images.PullSecrets)
	if err := r.applyAll(ctx, pass, objects); err != nil {
		return err
	}
	return r.collect(ctx, pass)
}

// release sets the start once all workers are ready, a little ahead, together with the members as they are.
func (r *RunReconciler) release(pass *runPass) error {
	barrier := pass.snapshot.ConfigMap(names.Barrier(pass.run.Name))
	if pass.released != nil || barrier == nil || pass.workersReady() < pass.run.Spec.Workload.Workers.Count {
		return nil
	}
	baseline, err := observe.Baseline(pass.networkPods)
	if err != nil {
		return err
	}
	pass.released = &driver.Release{Start: r.Now().Add(releaseLead), Baseline: baseline, Unless: barrier.ResourceVersion}
	return nil
}

func (r *RunReconciler) applyAll(ctx context.Context, pass *runPass, objects []client.Object) error {
	owner := apply.Owner{Object: pass.run, Labels: runLabels(pass.run)}
	for _, object := range objects {
		if err := r.Writer.Apply(ctx, owner, object, pass.snapshot.Live(object)); err != nil {
			return err
		}
	}
	return nil
}

// SetupWithManager watches runs, what they own, their workers, and the networks that they wait for.
func (r *RunReconciler) SetupWithManager(mgr ctrl.Manager, concurrency int) error {
	build := ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.BenchmarkRun{}).
		Watches(&v1alpha1.BenchmarkNetwork{}, handler.EnqueueRequestsFromMapFunc(r.runsOfNetwork)).
		Watches(&v1alpha1.BenchmarkRun{}, handler.EnqueueRequestsFromMapFunc(r.runsBeside)).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency})
	watchOwned(build, handler.EnqueueRequestsFromMapFunc(byLabel(v1alpha1.LabelRun)))
	return build.Complete(r)
}
