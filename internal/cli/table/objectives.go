package table

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

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
