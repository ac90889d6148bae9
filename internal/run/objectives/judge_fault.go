package objectives

import (
	"cmp"
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
		return l.unknownOutcome("the fault has no score")
	}
	measured, known := FaultTime(r.Faults[i].Score, l.Metric)
	if !known {
		return l.unknownOutcome(problemOf(r.Faults[i].Score, l.Metric))
	}
	return l.judgeValue(r, measured.Seconds, measured.Censored)
}

// FaultyRunValue returns a metric of a whole run with faults, or the problem that makes it unknown. Lost and doubled operations are known
// only where the driver knows each by an identity: equal numbers can hide them.
func FaultyRunValue(r *document.RunResult, metric v1alpha1.Metric) (value float64, problem string) {
	a := r.Availability
	switch {
	case a == nil:
		return 0, "the run has no faults, or its result is of an older version"
	case metric == v1alpha1.MetricAvailability && a.Share == nil:
		return 0, cmp.Or(a.Problem, "it was not measured")
	case metric == v1alpha1.MetricAvailability:
		return *a.Share, ""
	case r.Ledger == nil:
		return 0, "the driver does not compare the ledger with the clients"
	}
	count := r.Ledger.Lost
	if metric == v1alpha1.MetricOperationsDoubled {
		count = r.Ledger.Doubled
	}
	if count == nil {
		return 0, cmp.Or(r.Ledger.Reason, "the driver does not identify such operations in the ledger")
	}
	return float64(*count), ""
}

// judgeFaultyRun returns the outcome of an objective on a metric of a whole run with faults.
func (l Limit) judgeFaultyRun(r *document.RunResult) verdict.ObjectiveOutcome {
	value, problem := FaultyRunValue(r, l.Metric)
	if problem != "" {
		return l.unknownOutcome(problem)
	}
	return l.judgeValue(r, value, false)
}

func (l Limit) unknownOutcome(problem string) verdict.ObjectiveOutcome {
	return l.Outcome(verdict.ObjectiveUndecided, "%s is unknown, must be %s: %s", l.Name(), l.describeBound(), problem)
}

// judgeValue returns the outcome of an objective by a value, or by the lower bound of one that was cut off.
func (l Limit) judgeValue(r *document.RunResult, value float64, isCut bool) verdict.ObjectiveOutcome {
	described := l.Describe(l.Format(value))
	if isCut {
		described = l.Describe("more than " + l.Format(value))
	}
	switch {
	case !r.Verdict.IsEvidence():
		return l.Outcome(verdict.ObjectiveUndecided, "%s, but the run is invalid: %s", described, firstForeignReason(r.Verdict))
	case !l.IsMet(value):
		return l.Outcome(verdict.ObjectiveFailed, "%s", described)
	case isCut:
		return l.Outcome(verdict.ObjectiveUndecided, "%s: the next fault or the end of the window cut it off", described)
	case !r.Verdict.IsValid():
		return l.Outcome(verdict.ObjectiveUndecided, "%s, but the run is invalid: %s", described, r.Verdict.Reasons[0].Code)
	}
	return l.Outcome(verdict.ObjectivePassed, "%s", described)
}
