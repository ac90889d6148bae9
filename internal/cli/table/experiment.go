package table

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/format"
)

// ForDesign returns a table of the points of an experiment that has not started.
func ForDesign(e *v1alpha1.BenchmarkExperiment, d *experiment.Design) *Table {
	names := []string{"Point"}
	for _, axis := range d.Axes {
		names = append(names, axis.Name)
	}
	t := New(append(names, "Variant", "Network", "Runs")...)
	for i := range d.Points {
		p := &d.Points[i]
		row := []string{p.Name}
		for _, parameter := range p.Parameters {
			row = append(row, parameter.Value)
		}
		t.AddRow(append(row, p.Variant, d.Networks[p.Network].Name, describeRunCount(e, d))...)
	}
	return t
}

func describeRunCount(e *v1alpha1.BenchmarkExperiment, d *experiment.Design) string {
	if s := e.Spec.Saturation; s != nil {
		return fmt.Sprintf("up to %d loads from %s to %s", s.MaxLoads, s.From.String(), s.To.String())
	}
	if d.Deployments > 1 {
		return fmt.Sprintf("%d on %d deployments", e.Spec.Repetitions, d.Deployments)
	}
	return fmt.Sprint(e.Spec.Repetitions)
}

// ForRunOrder returns a table of an experiment's runs in their order.
func ForRunOrder(e *v1alpha1.BenchmarkExperiment, d *experiment.Design, groups []experiment.RunGroup) *Table {
	t := New("Order", "Run", "Network", "Point")
	n := 0
	for _, group := range groups {
		for _, turn := range group.Turns {
			n++
			p := &d.Points[turn.Point]
			name := e.Name + "-" + p.Name
			if turn.Repetition > 0 {
				name += fmt.Sprintf("-r%d", turn.Repetition)
			}
			t.AddRow(fmt.Sprint(n), name, d.Networks[d.NetworkOf(turn.Point, turn.Repetition)].Name, p.Label())
		}
	}
	return t
}

// ForRunObjectives returns a table of the objectives of runs and their outcomes.
func ForRunObjectives(runs []v1alpha1.BenchmarkRun) *Table {
	t := New("Name", "Objective", "Outcome", "Message")
	for i := range runs {
		for _, o := range runs[i].Status.Objectives {
			t.AddRow(runs[i].Name, o.Metric, o.Outcome, o.Message)
		}
	}
	return t
}

// ForPointObjectives returns a table of the objectives of points and their outcomes.
func ForPointObjectives(points []experiment.Point) *Table {
	t := New("Point", "Objective", "Outcome", "Message")
	for i := range points {
		for _, o := range points[i].Objectives {
			t.AddRow(points[i].Name, o.Metric, o.Outcome, o.Message)
		}
	}
	return t
}

// ForPower returns a table of the deployments and pairs that show a difference.
func ForPower(plan experiment.PowerPlan) *Table {
	t := New("Point", "Label", "Metric", "Within", "Between", "Deployments × pairs")
	for i := range plan.Points {
		p := &plan.Points[i]
		var designs []string
		for _, d := range p.Designs {
			designs = append(designs, fmt.Sprintf("%d × %d", d.Deployments, d.Pairs))
		}
		t.AddRow(p.Point, p.Label, p.Metric, formatDeviation(p.Within), formatDeviation(p.Between),
			cmp.Or(strings.Join(designs, ", "), p.Message, "over 1000"))
	}
	return t
}

// formatDeviation formats a relative deviation, or returns an empty string if it is unknown.
func formatDeviation(share *float64) string {
	if share == nil {
		return ""
	}
	return format.Percent(*share)
}

// ForReproduction returns a table of the comparison of an original with its repetition.
func ForReproduction(outcomes []experiment.ReproductionOutcome) *Table {
	t := New("Point", "Metric", "Original", "Repeated", "Difference", "Interval", "Runs", "Verdict", "Message")
	for i := range outcomes {
		o := &outcomes[i]
		row := []string{o.Point, o.Metric, "", "", "", ""}
		if o.Baselines > 0 && o.Candidates > 0 {
			row = []string{o.Point, o.Metric, format.Number(o.BaselineMean), format.Number(o.CandidateMean), format.SignedPercent(o.Difference),
				o.Format(format.SignedPercent)}
		}
		t.AddRow(append(row, o.FormatRuns(), string(o.Verdict), o.Message)...)
	}
	return t
}
