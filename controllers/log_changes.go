package controllers

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// newLogConstructor returns the logger of a controller. Every line of a reconcile names its object under the key, such as "run".
func newLogConstructor(mgr ctrl.Manager, key string) func(*reconcile.Request) logr.Logger {
	logger := mgr.GetLogger().WithName(key)
	return func(request *reconcile.Request) logr.Logger {
		if request == nil {
			return logger
		}
		return logger.WithValues(key, request.String())
	}
}

// logStatusChange logs what a status patch changed: transitions of conditions, stages that started or became ready, and
// verdicts. Other changes, such as progress, are logged at V(1); a pass without a change is logged at V(2).
func logStatusChange(ctx context.Context, before, after client.Object, old, current []metav1.Condition) {
	logger := log.FromContext(ctx)
	switch after := after.(type) {
	case *v1alpha1.BenchmarkNetwork:
		logStages(logger, before.(*v1alpha1.BenchmarkNetwork).Status.Stages, after.Status.Stages)
	case *v1alpha1.BenchmarkRun:
		logRun(logger, before.(*v1alpha1.BenchmarkRun).Status, after)
	}
	if changed := conditionTransitions(old, current); len(changed) > 0 {
		logger.Info("conditions changed", "conditions", changed)
		return
	}
	logger.V(1).Info("status updated", "waits", describeWaits(current))
}

// describeWaits says why nothing more was done: the conditions Admitted, Ready and Complete that are not true, such as "Ready
// StageNotReady: StatefulSet banks-member-0: 0 of 1 pods ready".
func describeWaits(conditions []metav1.Condition) []string {
	var waits []string
	for _, c := range conditions {
		isStep := c.Type == v1alpha1.ConditionAdmitted || c.Type == v1alpha1.ConditionReady || c.Type == v1alpha1.ConditionComplete
		if isStep && c.Status != metav1.ConditionTrue {
			waits = append(waits, fmt.Sprintf("%s %s: %s", c.Type, c.Reason, c.Message))
		}
	}
	return waits
}

func logStages(logger logr.Logger, old, current []v1alpha1.StageStatus) {
	known := make(map[string]v1alpha1.StageStatus, len(old))
	for _, stage := range old {
		known[stage.Name] = stage
	}
	for _, stage := range current {
		if stage.StartedAt != nil && known[stage.Name].StartedAt == nil {
			logger.Info("stage started", "stage", stage.Name)
		}
		if stage.StartedAt != nil && stage.ReadyAt != nil && known[stage.Name].ReadyAt == nil {
			logger.Info("stage ready", "stage", stage.Name, "after", stage.ReadyAt.Sub(stage.StartedAt.Time).String())
		}
	}
}

// logRunStart logs the release of the workers. The barrier is written under its resource version, so it is released only once. Status
// patches can repeat while the cache is stale.
func logRunStart(ctx context.Context, run *v1alpha1.BenchmarkRun, start time.Time) {
	log.FromContext(ctx).Info("run started", "workers", run.Spec.Workload.Workers.Count, "start", start.UTC().Format(time.RFC3339Nano))
}

func logRun(logger logr.Logger, old v1alpha1.BenchmarkRunStatus, run *v1alpha1.BenchmarkRun) {
	if s := run.Status; s.Verdict != "" && old.Verdict == "" {
		reasons := make([]string, 0, len(s.Reasons))
		for _, r := range s.Reasons {
			reasons = append(reasons, r.Reason)
		}
		logger.Info("run judged", "verdict", s.Verdict, "reasons", reasons)
	}
}

// conditionTransitions describes the conditions whose status or reason changed, such as "Ready=False StageNotReady: StatefulSet
// banks-member-0: 0 of 1 pods ready".
func conditionTransitions(old, current []metav1.Condition) []string {
	var changed []string
	for _, c := range changedConditions(old, current) {
		changed = append(changed, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	return changed
}
