package table

import (
	"strconv"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/format"
)

// ForPhases returns a table of the phases of the sampled operations of runs. Durations are in milliseconds.
func ForPhases(runs []*documents.Run) *Table {
	t := New("Name", "Phase", "Sampled", "Share", "Mean ms", "P50 ms", "P95 ms", "P99 ms")
	for _, run := range runs {
		if run.Phases == nil {
			continue
		}
		for _, p := range run.Phases.Phases {
			t.AddRow(run.Run.Name, p.Name, strconv.FormatInt(p.Operations, 10), format.Percent(p.Share),
				format.Number(p.Mean), formatMillis(p.P50), formatMillis(p.P95), formatMillis(p.P99))
		}
	}
	return t
}

// formatMillis returns an empty text for an unknown percentile.
func formatMillis(percentile *float64) string {
	if percentile == nil {
		return ""
	}
	return format.Number(*percentile)
}
