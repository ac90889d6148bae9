package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/objectives"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// judgePoint returns the outcome of each objective at a point. It fails if a run that the system itself made
// invalid failed it, or if the whole interval over the valid runs misses the limit. It passes if no run failed and the whole
// interval keeps to the limit. Of too few runs for an interval, all must miss it or keep to it. All else is undecided.
func judgePoint(required []v1alpha1.Objective, p *Point, runs []Run) []verdict.ObjectiveOutcome {
	var all []verdict.ObjectiveOutcome
	for i := range required {
		limit := objectives.LimitOf(&required[i])
		if limit.Scope == "" && !limit.Metric.IsCount() {
			all = append(all, judgePointLimit(limit, p, runs))
			continue
		}
		outcome, message := judgePointByRuns(limit.Name(), runs)
		all = append(all, limit.Outcome(outcome, "%s", message))
	}
	return all
}

func judgePointLimit(limit objectives.Limit, p *Point, runs []Run) verdict.ObjectiveOutcome {
	for i := range runs {
		outcome := runs[i].findObjective(string(limit.Metric))
		switch {
		case outcome == nil:
		case runs[i].Verdict != RunValid && outcome.Outcome == verdict.ObjectiveFailed,
			runs[i].Verdict == RunValid && outcome.Outcome == verdict.ObjectiveUndecided:
			return limit.Outcome(outcome.Outcome, "run %s: %s", runs[i].Name, outcome.Message)
		}
	}
	e, measured := p.Metrics[string(limit.Metric)]
	if !measured || e.N == 0 {
		return limit.Outcome(verdict.ObjectiveUndecided, "%s is unknown: the point has no valid run", limit.Metric)
	}
	described := limit.Describe(strings.TrimSpace(limit.Format(e.Mean) + " " + e.Format(limit.Format)))
	bounds := e.Bounds()
	switch low, high := limit.IsMet(bounds.Low), limit.IsMet(bounds.High); {
	case low && high:
		return passUnlessRunsFailed(limit, described, runs)
	case low || high:
		within := "within the interval"
		if e.Interval == nil {
			within = "between the runs"
		}
		return limit.Outcome(verdict.ObjectiveUndecided, "%s: the limit is %s", described, within)
	default:
		return limit.Outcome(verdict.ObjectiveFailed, "%s", described)
	}
}

// passUnlessRunsFailed returns the outcome of an objective that the valid runs keep to.
func passUnlessRunsFailed(limit objectives.Limit, described string, runs []Run) verdict.ObjectiveOutcome {
	if countFailedRuns(runs) > 0 {
		return limit.Outcome(verdict.ObjectiveUndecided, "%s, but %s", described, describeFailedRuns(runs))
	}
	return limit.Outcome(verdict.ObjectivePassed, "%s", described)
}

// countFailedRuns counts the runs that failed, or that the system itself made invalid.
func countFailedRuns(runs []Run) int { return pointRuns{counted: withoutExcluded(runs)}.countFailed() }

func withoutExcluded(runs []Run) []Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Verdict != RunValid && r.Excluded })
}

func describeFailedRuns(runs []Run) string {
	return fmt.Sprintf("%d of %s failed", countFailedRuns(runs), format.Count(len(withoutExcluded(runs)), "run"))
}

// judgePointQueries returns the outcome of each query objective at a point.
func judgePointQueries(required []v1alpha1.QueryObjective, runs []Run) []verdict.ObjectiveOutcome {
	var all []verdict.ObjectiveOutcome
	for i := range required {
		outcome, message := judgePointByRuns(required[i].Name, runs)
		all = append(all, objectives.NewQueryOutcome(&required[i], outcome, message))
	}
	return all
}

// judgePointByRuns returns the outcome at a point of an objective that has no interval over its runs. It fails if it failed in any run, and
// passes if it passed in all valid runs and no run failed. All else is undecided.
func judgePointByRuns(name string, runs []Run) (decisive, message string) {
	decisive, message = verdict.ObjectiveUndecided, name+" is unknown: the point has no valid run"
	valid := 0
	for i := range runs {
		outcome := runs[i].findObjective(name)
		switch {
		case outcome == nil:
		case outcome.Outcome == verdict.ObjectiveFailed:
			return outcome.Outcome, "run " + runs[i].Name + ": " + outcome.Message
		case runs[i].Verdict == RunValid:
			if valid++; valid == 1 || outcome.Outcome == verdict.ObjectiveUndecided {
				decisive, message = outcome.Outcome, "run "+runs[i].Name+": "+outcome.Message
			}
		}
	}
	switch {
	case decisive == verdict.ObjectivePassed && countFailedRuns(runs) > 0:
		return verdict.ObjectiveUndecided, describeFailedRuns(runs) + "; " + message
	case decisive == verdict.ObjectivePassed:
		message = fmt.Sprintf("passed in %s, %s", format.Count(valid, "valid run"), message)
	}
	return decisive, message
}

// findObjective returns the run's outcome of the objective on that metric or query, or nil.
func (r *Run) findObjective(metric string) *verdict.ObjectiveOutcome {
	for i := range r.Objectives {
		if r.Objectives[i].Metric == metric {
			return &r.Objectives[i]
		}
	}
	return nil
}
