package objectives

import (
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// FaultScope returns the scope of objectives on a fault.
func FaultScope(name string) string { return "fault/" + name }

// FaultTime returns a time of a fault by its metric; false if what it measures was not compared, or the metric is of no fault.
func FaultTime(s *resilience.Score, metric v1alpha1.Metric) (resilience.Time, bool) {
	switch metric {
	case v1alpha1.MetricOutageTime:
		return s.Outage(), true
	case v1alpha1.MetricRecoveryTime:
		return s.Recovery()
	case v1alpha1.MetricDegradationTime:
		return s.Degradation()
	case v1alpha1.MetricLatencyRecoveryTime:
		return s.LatencyRecovery()
	}
	return resilience.Time{}, false
}

// problemOf says why a time of a fault is unknown.
func problemOf(s *resilience.Score, metric v1alpha1.Metric) string {
	if metric == v1alpha1.MetricLatencyRecoveryTime {
		return s.Latency.Problem
	}
	return s.Problem
}

// judgeFault returns the outcome of an objective on a time of a fault. A time that the window cut off fails if it was too long by then;
// else it decides nothing.
func (l Limit) judgeFault(r *document.RunResult) verdict.ObjectiveOutcome {
	i := slices.IndexFunc(r.Faults, func(f document.FaultResult) bool { return FaultScope(f.Name) == l.Scope })
	if i < 0 || r.Faults[i].Score == nil {
		return l.Outcome(verdict.ObjectiveUndecided, "the fault has no score, so %s is unknown, must be at most %s", l.Name(), l.Format(l.Bound))
	}
	measured, known := FaultTime(r.Faults[i].Score, l.Metric)
	if !known {
		return l.Outcome(verdict.ObjectiveUndecided, "%s is unknown, must be at most %s: %s", l.Name(), l.Format(l.Bound), problemOf(r.Faults[i].Score, l.Metric))
	}
	described := l.Describe(l.Format(measured.Seconds))
	if measured.Censored {
		described = l.Describe("more than " + l.Format(measured.Seconds))
	}
	switch {
	case !r.Verdict.IsEvidence():
		return l.Outcome(verdict.ObjectiveUndecided, "%s, but the run is invalid: %s", described, firstForeignReason(r.Verdict))
	case !l.IsMet(measured.Seconds):
		return l.Outcome(verdict.ObjectiveFailed, "%s", described)
	case measured.Censored:
		return l.Outcome(verdict.ObjectiveUndecided, "%s: the next fault or the end of the window cut it off", described)
	case !r.Verdict.IsValid():
		return l.Outcome(verdict.ObjectiveUndecided, "%s, but the run is invalid: %s", described, r.Verdict.Reasons[0].Code)
	}
	return l.Outcome(verdict.ObjectivePassed, "%s", described)
}
