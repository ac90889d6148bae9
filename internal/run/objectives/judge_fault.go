package objectives

import (
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// FaultScope returns the scope of objectives on a fault.
func FaultScope(name string) string { return "fault/" + name }

// judgeFault returns the outcome of an objective on a time of a fault. A time that the window cut off fails if it was too long by then;
// else it decides nothing.
func (l Limit) judgeFault(r *document.RunResult) verdict.ObjectiveOutcome {
	i := slices.IndexFunc(r.Faults, func(f document.FaultResult) bool { return FaultScope(f.Name) == l.Scope })
	if i < 0 || r.Faults[i].Score == nil {
		return l.Outcome(verdict.ObjectiveUndecided, "the fault has no score, so %s is unknown, must be at most %s", l.Name(), l.Format(l.Bound))
	}
	s := r.Faults[i].Score
	value, cut := float64(s.OutageSeconds), false
	switch {
	case l.Metric == v1alpha1.MetricOutageTime:
	case s.Problem != "":
		return l.Outcome(verdict.ObjectiveUndecided, "%s is unknown, must be at most %s: %s", l.Name(), l.Format(l.Bound), s.Problem)
	case l.Metric == v1alpha1.MetricDegradationTime:
		value, cut = s.DegradationSeconds, s.RecoverySeconds == nil
	case s.RecoverySeconds == nil:
		value, cut = s.CensoredSeconds, true
	default:
		value = *s.RecoverySeconds
	}
	described := l.Describe(l.Format(value))
	if cut {
		described = l.Describe("more than " + l.Format(value))
	}
	switch {
	case !r.Verdict.IsEvidence():
		return l.Outcome(verdict.ObjectiveUndecided, "%s, but the run is invalid: %s", described, firstForeignReason(r.Verdict))
	case !l.IsMet(value):
		return l.Outcome(verdict.ObjectiveFailed, "%s", described)
	case cut:
		return l.Outcome(verdict.ObjectiveUndecided, "%s: there was no recovery before the next fault or the end of the window", described)
	case !r.Verdict.IsValid():
		return l.Outcome(verdict.ObjectiveUndecided, "%s, but the run is invalid: %s", described, r.Verdict.Reasons[0].Code)
	}
	return l.Outcome(verdict.ObjectivePassed, "%s", described)
}
