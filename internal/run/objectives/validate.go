package objectives

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// Validate rejects objectives of the same metric or name, and limits that no run or every run meets. The path is that of the workload.
func Validate(w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i := range w.Objectives {
		o, path := &w.Objectives[i], path.Child("objectives").Index(i)
		name, at := LimitOf(o).Name(), path.Child("metric")
		if o.Query != nil {
			name, at = o.Query.Name, path.Child("query", "name")
		}
		if seen[name] {
			errs = append(errs, field.Duplicate(at, name))
		}
		seen[name] = true
		errs = append(errs, ValidateScope(w, o, path.Child("scope"))...)
		errs = append(errs, ValidateLimit(&o.MetricObjective, path)...)
		if q := o.MinAvailabilityPercent; q != nil && (q.Sign() <= 0 || q.CmpInt64(100) > 0) {
			errs = append(errs, field.Invalid(path.Child("minAvailabilityPercent"), q.String(), "must be above 0 and at most 100, such as 95 or \"99.9\""))
		}
	}
	return errs
}

// ValidateScope rejects a scope that the workload does not have, or that does not fit the metric.
func ValidateScope(w *v1alpha1.Workload, o *v1alpha1.Objective, path *field.Path) field.ErrorList {
	var scopes []string
	switch ofFault := o.Metric.IsOfFault(); {
	case ofFault != strings.HasPrefix(o.Scope, "fault/"):
		return field.ErrorList{field.Invalid(path, o.Scope, "must be fault/NAME if, and only if, metric is a time of a fault, such as RecoveryTime")}
	case ofFault:
		for i := range w.Faults {
			scopes = append(scopes, FaultScope(w.Faults[i].Name))
		}
	case o.Scope == "":
		return nil
	case o.Metric.IsOfFaultyRun():
		return field.ErrorList{field.Invalid(path, o.Scope, fmt.Sprintf("must not be set with %s, which is of the whole run", o.Metric))}
	case (w.Load == nil || len(w.Load.Profile) == 0) && len(w.Faults) == 0:
		return field.ErrorList{field.Invalid(path, o.Scope, "needs load.profile or faults, whose segments it names")}
	default:
		for _, s := range loadgen.SegmentsOf(w) {
			scopes = append(scopes, SegmentScope(s.Name))
		}
		if len(scopes) == 0 { // The profile itself, or the faults, are rejected.
			return nil
		}
	}
	if !slices.Contains(scopes, o.Scope) {
		return field.ErrorList{field.NotSupported(path, o.Scope, scopes)}
	}
	return nil
}

// ValidateLimit rejects a limit that no run or every run meets. The path is that of the objective.
func ValidateLimit(o *v1alpha1.MetricObjective, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if d := o.MaxLatency; d != nil && d.Duration <= 0 {
		errs = append(errs, field.Invalid(path.Child("maxLatency"), d.Duration.String(), "must be above 0, such as 500ms"))
	}
	if q := o.MinThroughputPerSecond; q != nil && q.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("minThroughputPerSecond"), q.String(), "must be greater than 0, such as 100 or 500m"))
	}
	if q := o.MaxErrorPercent; q != nil && (q.Sign() < 0 || q.CmpInt64(100) > 0) {
		errs = append(errs, field.Invalid(path.Child("maxErrorPercent"), q.String(), "must be from 0 to 100, such as 1 or \"0.5\""))
	}
	return errs
}
