package controllers

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// conflictRetryPeriod is when a pass whose write met a conflict is repeated at the latest. Usually the event of the change that it
// missed causes the next pass sooner.
const conflictRetryPeriod = time.Second

// requeueOnConflict returns a reconciler that turns write conflicts into a requeue. They mean that the cache was stale, and
// controller-runtime would log them as errors with a stack trace.
func requeueOnConflict(r reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
		result, err := r.Reconcile(ctx, req)
		if !apierrors.IsConflict(err) {
			return result, err
		}
		log.FromContext(ctx).V(1).Info("write conflict", "error", err.Error())
		return ctrl.Result{RequeueAfter: conflictRetryPeriod}, nil
	})
}
