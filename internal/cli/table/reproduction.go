package table

import (
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/format"
)

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
