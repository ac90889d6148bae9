package controllers

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestRequeueOnConflict checks that only conflicts are retried without an error.
func TestRequeueOnConflict(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "extra-barrier", errors.New("the object has been modified"))
	other := errors.New("no connection")
	for name, test := range map[string]struct {
		err, want error
		after     time.Duration
	}{
		"success":            {nil, nil, time.Hour},
		"another error":      {other, other, time.Hour},
		"a conflict":         {conflict, nil, conflictRetryPeriod},
		"a wrapped conflict": {errors.Join(fmt.Errorf("apply ConfigMap: %w", conflict)), nil, conflictRetryPeriod},
	} {
		t.Run(name, func(t *testing.T) {
			inner := reconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) {
				return ctrl.Result{RequeueAfter: time.Hour}, test.err
			})
			result, err := requeueOnConflict(inner).Reconcile(t.Context(), ctrl.Request{})
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) || result.RequeueAfter != test.after {
				t.Errorf("requeue after %s with error %v", result.RequeueAfter, err)
			}
		})
	}
}
