package table

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/format"
)

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
