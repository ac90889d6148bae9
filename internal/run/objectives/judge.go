// Package objectives judges the absolute limits that a workload sets on its metrics.
package objectives

import (
	"fmt"
	"math"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// JudgeRun returns the outcome of each objective, in order. A valid run passes or fails by its value, unless it
// has too few samples. A run that is invalid by faults of the system fails where it misses the limit; it cannot
// pass. Another invalid run decides nothing.
func JudgeRun(listed []v1alpha1.Objective, r *document.RunResult) []verdict.ObjectiveOutcome {
	var all []verdict.ObjectiveOutcome
	for i := range listed {
		limit := LimitOf(&listed[i])
		all = append(all, limit.judgeRun(r))
	}
	return all
}

// Limit is the limit of an objective in the unit of its metric: operations, operations per second, milliseconds, a share from 0 to 1, or,
// of faults, seconds.
type Limit struct {
	Metric v1alpha1.Metric
	// Scope is segment/NAME or fault/NAME; empty for the whole window.
	Scope string
	Bound float64
}

// LimitOf returns the limit of an objective.
func LimitOf(o *v1alpha1.Objective) Limit {
	l := Limit{Metric: o.Metric, Scope: o.Scope}
	switch {
	case o.MaxLatency != nil:
		l.Bound = float64(o.MaxLatency.Microseconds()) / 1000
	case o.MinThroughputPerSecond != nil:
		l.Bound = o.MinThroughputPerSecond.AsApproximateFloat64()
	case o.MaxErrorPercent != nil:
		l.Bound = o.MaxErrorPercent.AsApproximateFloat64() / 100
	case o.MaxDuration != nil:
		l.Bound = o.MaxDuration.Seconds()
	case o.MinAvailabilityPercent != nil: // The nearest number to the share, such as 0.999, with which a quotient of counts compares.
		l.Bound = math.Round(o.MinAvailabilityPercent.AsApproximateFloat64()*1e10) / 1e12
	case o.MaxCount != nil:
		l.Bound = float64(*o.MaxCount)
	}
	return l
}

// Name returns the name of the objective in results: its metric, with the scope if there is one.
func (l Limit) Name() string {
	if l.Scope == "" {
		return string(l.Metric)
	}
	return string(l.Metric) + " of " + l.Scope
}

// IsMet reports whether a value keeps to the limit.
func (l Limit) IsMet(value float64) bool {
	if l.Metric.IsHigherBetter() {
		return value >= l.Bound
	}
	return value <= l.Bound
}

// Outcome returns an outcome with that message.
func (l Limit) Outcome(outcome, message string, args ...any) verdict.ObjectiveOutcome {
	return verdict.ObjectiveOutcome{Metric: l.Name(), Limit: l.Bound, Outcome: outcome, Message: fmt.Sprintf(message, args...)}
}

// Describe returns the value beside the limit, such as "LatencyP95 is 612 ms, must be at most 500 ms".
func (l Limit) Describe(value string) string {
	return fmt.Sprintf("%s is %s, must be %s", l.Name(), value, l.describeBound())
}

// describeBound returns the limit, such as "at most 500 ms".
func (l Limit) describeBound() string {
	if l.Metric.IsHigherBetter() {
		return "at least " + l.Format(l.Bound)
	}
	return "at most " + l.Format(l.Bound)
}

// Format returns a value of the metric with its unit.
func (l Limit) Format(value float64) string {
	switch {
	case l.Metric == v1alpha1.MetricThroughput:
		return format.Number(value) + "/s"
	case l.Metric == v1alpha1.MetricErrorShare:
		return format.Percent(value)
	case l.Metric == v1alpha1.MetricAvailability:
		return resilience.FormatAvailability(value)
	case l.Metric.IsCount():
		return format.Decimal(value)
	case l.Metric.IsOfFault():
		return format.Number(value) + " s"
	default:
		return format.Number(value) + " ms"
	}
}

func (l Limit) judgeRun(r *document.RunResult) verdict.ObjectiveOutcome {
	switch {
	case l.Metric.IsOfFault():
		return l.judgeFault(r)
	case l.Metric.IsOfFaultyRun():
		return l.judgeFaultyRun(r)
	}
	summary := l.findSummary(r)
	value, samples, required := l.measuredValue(summary)
	described := l.Describe(l.Format(value))
	if math.IsNaN(value) {
		described = l.Describe("blank")
	}
	switch {
	case !r.Verdict.IsEvidence():
		return l.Outcome(verdict.ObjectiveUndecided, "%s, but the run is invalid: %s", described, firstForeignReason(r.Verdict))
	case required > 0 && summary.Requests == summary.Errors:
		return l.Outcome(verdict.ObjectiveFailed, "no operation succeeded, so %s is unknown, must be at most %s", l.Name(), l.Format(l.Bound))
	case samples < required:
		return l.Outcome(verdict.ObjectiveUndecided, "%s, but %d latencies are too few for it, which requires %d", described, samples, required)
	case !l.IsMet(value):
		return l.Outcome(verdict.ObjectiveFailed, "%s", described)
	case !r.Verdict.IsValid():
		return l.Outcome(verdict.ObjectiveUndecided, "%s, but the run is invalid: %s", described, r.Verdict.Reasons[0].Code)
	default:
		return l.Outcome(verdict.ObjectivePassed, "%s", described)
	}
}

// findSummary returns the summary of the scope. That of a segment without a result has no operations.
func (l Limit) findSummary(r *document.RunResult) *measurement.Summary {
	if l.Scope == "" {
		return &r.Summary
	}
	for i := range r.Segments {
		if SegmentScope(r.Segments[i].Name) == l.Scope {
			return &r.Segments[i].Summary
		}
	}
	return &measurement.Summary{}
}

// SegmentScope returns the scope of objectives on a segment.
func SegmentScope(name string) string { return "segment/" + name }

// measuredValue returns the value of the metric, and the number of latencies behind it and that it requires. A mean requires as
// many as must lie above a percentile.
func (l Limit) measuredValue(s *measurement.Summary) (value float64, samples, required int64) {
	kind, times, samples := "Latency", s.Latency, s.Requests-s.Errors
	switch {
	case l.Metric == v1alpha1.MetricThroughput:
		value = s.ThroughputPerSecond
	case l.Metric == v1alpha1.MetricErrorShare:
		value = s.ErrorShare
	case l.Metric.IsFinality():
		kind, times, samples = "Finality", measurement.Latency{Mean: measurement.Missing}, 0
		if f := s.Finality; f != nil {
			times, samples = f.Latency, f.Count
		}
	}
	for _, v := range times.Values() {
		if string(l.Metric) == kind+v.Name {
			value, required = measurement.ValueOrMissing(v.Millis), measurement.SamplesForPercentile(v.Percent)
		}
	}
	return value, samples, required
}

// firstForeignReason returns the first reason that is no fault of the system.
func firstForeignReason(v verdict.Verdict) verdict.ReasonCode {
	for _, reason := range v.Reasons {
		if !reason.Code.IsSystemFault() {
			return reason.Code
		}
	}
	return ""
}
