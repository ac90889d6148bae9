package controllers

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/apply"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/status"
)

// ExperimentReconciler carries out BenchmarkExperiments: it makes networks and runs one after the other, and reads what they found.
type ExperimentReconciler struct {
	Dependencies
	// ended are the runs that have ended, by UID: what is read once of a result need not be read again.
	ended sync.Map
	// preflights are the checks of experiments that wait.
	preflights preflights
	// refused has the refusedDocument of each experiment whose stored document was refused, by the experiment's UID.
	refused sync.Map
}

// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkexperiments,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkexperiments/status,verbs=patch
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarkexperiments/finalizers,verbs=update
// +kubebuilder:rbac:groups=benchnet.dev,resources=benchmarknetworks,verbs=create
// +kubebuilder:rbac:groups="",resources=nodes,verbs=list

// Reconcile makes one pass over an experiment. What comes next follows from the runs that there are.
func (r *ExperimentReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	e := &v1alpha1.BenchmarkExperiment{}
	if err := r.Client.Get(ctx, req.NamespacedName, e); err != nil {
		r.preflights.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if e.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // Its networks and runs go with it.
	}
	switch {
	case status.ExperimentEnded(e):
		r.preflights.forget(req.NamespacedName)
		r.refused.Delete(e.UID)
		return r.expire(ctx, e)
	case status.Rehearsed(e):
		r.preflights.forget(req.NamespacedName)
	default:
		if left := r.preflights.remaining(e, r.Now()); left > 0 {
			return ctrl.Result{RequeueAfter: left}, nil
		}
	}
	pass, err := r.gather(ctx, e)
	if err != nil {
		return ctrl.Result{}, err
	}
	if pass.step != nil {
		pass.problem = r.proceed(ctx, pass)
	}
	if apierrors.HasStatusCause(pass.problem, corev1.NamespaceTerminatingCause) {
		return ctrl.Result{}, nil
	}
	before := e.DeepCopy()
	e.Status = status.Experiment(pass.statusInput(r.Now()))
	err = writeStatus(ctx, r.Client, r.Events, before, e, before.Status.Conditions, e.Status.Conditions)
	if err != nil {
		return ctrl.Result{}, errors.Join(pass.problem, err)
	}
	if pass.waits() {
		left := r.preflights.remaining(e, r.Now())
		log.FromContext(ctx).Info("experiment waits", "for", meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionReady).Message, "retryAfter", left)
		return ctrl.Result{RequeueAfter: left}, nil
	}
	return patient(ctrl.Result{}, pass.problem)
}

// proceed makes the networks and runs that are due, removes networks that are not wanted any more, and writes the result when all is done.
func (r *ExperimentReconciler) proceed(ctx context.Context, pass *experimentPass) error {
	owner := apply.Owner{Object: pass.experiment, Labels: experiment.Labels(pass.experiment)}
	if pass.step.Done() {
		if err := r.writeResult(ctx, pass, owner); err != nil {
			return err
		}
	}
	if err := r.clear(ctx, pass); err != nil {
		return err
	}
	for _, i := range pass.step.Networks {
		planned := &pass.design.Networks[i]
		if pass.networks[planned.Name] != nil {
			continue
		}
		if err := r.Writer.Apply(ctx, owner, planned.Network(pass.experiment), nil); err != nil {
			return err
		}
	}
	for i := range pass.step.Runs {
		if err := r.Writer.Apply(ctx, owner, pass.design.Run(pass.experiment, &pass.step.Runs[i]), nil); err != nil {
			return err
		}
	}
	return nil
}

// clear deletes the networks that are not wanted any more.
func (r *ExperimentReconciler) clear(ctx context.Context, pass *experimentPass) error {
	wanted := map[string]bool{}
	for _, i := range pass.step.Networks {
		wanted[pass.design.Networks[i].Name] = true
	}
	for name, network := range pass.networks {
		if !wanted[name] {
			if err := r.Writer.DeleteLast(ctx, network); err != nil {
				return err
			}
		}
	}
	return nil
}

// expire deletes an experiment that is over when its time is.
func (r *ExperimentReconciler) expire(ctx context.Context, e *v1alpha1.BenchmarkExperiment) (ctrl.Result, error) {
	ttl := e.Spec.TTLSecondsAfterFinished
	if ttl == nil || e.Status.CompletionTime == nil {
		return ctrl.Result{}, nil
	}
	return r.deleteAt(ctx, e, e.Status.CompletionTime.Add(time.Duration(*ttl)*time.Second))
}

// forget what was read of runs that are gone.
func (r *ExperimentReconciler) forget(uid types.UID) { r.ended.Delete(uid) }

// SetupWithManager watches experiments, and the networks and runs that they own.
func (r *ExperimentReconciler) SetupWithManager(mgr ctrl.Manager, concurrency int) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.BenchmarkExperiment{}).
		Owns(&v1alpha1.BenchmarkNetwork{}, builder.WithPredicates(comesOrGoes())).
		Owns(&v1alpha1.BenchmarkRun{}, builder.WithPredicates(beginsOrEnds(r.forget))).
		Watches(&v1alpha1.BenchmarkNetwork{}, handler.EnqueueRequestsFromMapFunc(r.waitingExperiments), builder.WithPredicates(isDeleted())).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		Complete(r)
}
