package experiment

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/objectives"
	"github.com/benchnet/benchnet/internal/run/results"
)

// judgePoint returns the outcome of each objective at a point. It fails if a run that the system itself made
// invalid failed it, or if the whole interval over the valid runs misses the limit. It passes if the whole
// interval keeps to the limit; a single valid run counts by its value. All else is undecided.
func judgePoint(wanted []v1alpha1.Objective, p *Point, runs []Run) []results.ObjectiveOutcome {
	var all []results.ObjectiveOutcome
	for i := range wanted {
		all = append(all, judgePointLimit(objectives.LimitOf(&wanted[i]), p, runs))
	}
	return all
}

func judgePointLimit(limit objectives.Limit, p *Point, runs []Run) results.ObjectiveOutcome {
	for i := range runs {
		outcome := runs[i].findObjective(limit.Metric)
		switch {
		case outcome == nil:
		case runs[i].Verdict != RunValid && outcome.Outcome == results.ObjectiveFailed,
			runs[i].Verdict == RunValid && outcome.Outcome == results.ObjectiveUndecided:
			return limit.Outcome(outcome.Outcome, "run %s: %s", runs[i].Name, outcome.Message)
		}
	}
	e, measured := p.Metrics[string(limit.Metric)]
	if !measured || e.N == 0 {
		return limit.Outcome(results.ObjectiveUndecided, "%s is unknown: the point has no valid run", limit.Metric)
	}
	described := limit.Describe(limit.Format(e.Mean))
	if e.N > 1 {
		described = limit.Describe(limit.Format(e.Mean) + " (" + limit.Format(e.Low) + " to " + limit.Format(e.High) + ")")
	}
	switch low, high := limit.IsMet(e.Low), limit.IsMet(e.High); {
	case low && high:
		return limit.Outcome(results.ObjectivePassed, "%s", described)
	case low || high:
		return limit.Outcome(results.ObjectiveUndecided, "%s: the limit is within the interval", described)
	default:
		return limit.Outcome(results.ObjectiveFailed, "%s", described)
	}
}

// findObjective returns the run's outcome of the objective on that metric, or nil.
func (r *Run) findObjective(metric v1alpha1.Metric) *results.ObjectiveOutcome {
	for i := range r.Objectives {
		if r.Objectives[i].Metric == string(metric) {
			return &r.Objectives[i]
		}
	}
	return nil
}
