package table

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
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
