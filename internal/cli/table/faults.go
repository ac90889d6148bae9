package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
)

// ForFaults returns a table of the declared faults of runs with their evidence. Instants are in seconds of the window.
func ForFaults(runs []*documents.Run) *Table {
	t := New("Name", "Fault", "Type", "Target", "Planned", "Injected", "Healed", "Proved", "Evidence")
	for _, run := range runs {
		for i := range run.Faults {
			f := &run.Faults[i]
			for k := range f.Targets {
				of := &f.Targets[k]
				proved := "no"
				if of.IsProved() {
					proved = "yes"
				}
				t.AddRow(run.Run.Name, f.Name, string(f.Type), of.Subject(), strconv.Itoa(f.AtSeconds),
					formatBracket(of.Injected), formatBracket(of.Healed), proved, of.DescribeEvidence())
			}
		}
	}
	return t
}

// formatBracket returns an empty text for an instant that is unknown.
func formatBracket(b *measurement.Bracket) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("%.2f-%.2f", b.FromSeconds, b.ToSeconds)
}

// ForFaultScores returns a table of what the declared faults of runs did to the throughput.
func ForFaultScores(runs []*documents.Run) *Table {
	t := New(slices.Concat([]string{"Name", "Fault"}, resilience.ScoreColumns, []string{"Problem"})...)
	for _, run := range runs {
		for i := range run.Faults {
			if s := run.Faults[i].Score; s != nil {
				t.AddRow(slices.Concat([]string{run.Run.Name, run.Faults[i].Name}, s.Describe(formatMeasured), []string{s.Problem})...)
			}
		}
	}
	return t
}

// formatMeasured returns an empty text for NaN.
func formatMeasured(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return format.Number(v)
}
