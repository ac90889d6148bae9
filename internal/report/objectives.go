package report

import (
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// runObjectivesTable returns the objectives of a run with their outcomes.
func runObjectivesTable(r *document.RunResult) htmlTable {
	t := htmlTable{Header: append(textColumns("Objective", "Outcome"), proseColumns("Finding")...)}
	for _, o := range r.Objectives {
		t.Rows = append(t.Rows, tableRow{Mood: objectiveMood(o.Outcome), Cells: []string{o.Metric, o.Outcome, o.Message}})
	}
	return t
}

// pointObjectivesTable returns the objectives of all points with their outcomes.
func pointObjectivesTable(e *experiment.Result) htmlTable {
	t := htmlTable{Header: append(textColumns("Point", "Parameters", "Objective", "Outcome"), proseColumns("Finding")...)}
	for i := range e.Points {
		p := &e.Points[i]
		for _, o := range p.Objectives {
			t.Rows = append(t.Rows, tableRow{Mood: objectiveMood(o.Outcome), Cells: []string{p.Name, p.Label(), o.Metric, o.Outcome, o.Message}})
		}
	}
	return t
}

func objectiveMood(outcome string) string {
	switch outcome {
	case verdict.ObjectivePassed:
		return ""
	case verdict.ObjectiveFailed:
		return "failed"
	default:
		return "invalid"
	}
}

// objectiveReasons returns a reason for each objective that did not pass, for a banner.
func objectiveReasons(subject string, outcomes []verdict.ObjectiveOutcome) []bannerReason {
	var reasons []bannerReason
	for _, o := range outcomes {
		if o.Outcome != verdict.ObjectivePassed {
			reasons = append(reasons, bannerReason{"Objective" + o.Outcome, subject, o.Message})
		}
	}
	return reasons
}
