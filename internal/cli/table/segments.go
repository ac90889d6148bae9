package table

import (
	"fmt"
	"strconv"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/format"
)

// ForSegments returns a table of the segments of the windows of runs. Latencies are in milliseconds.
func ForSegments(runs []*documents.Run) *Table {
	t := New("Name", "Segment", "Seconds", "Offered/s", "Planned", "Throughput/s", "P50 ms", "P95 ms", "P99 ms", "Errors")
	for _, run := range runs {
		for i := range run.Segments {
			s := &run.Segments[i]
			l := &s.Summary.Latency
			t.AddRow(run.Run.Name, s.Name, fmt.Sprintf("%d-%d", s.FromSeconds, s.FromSeconds+s.Seconds), format.Number(s.OfferedPerSecond),
				strconv.FormatInt(s.Planned, 10), format.Number(s.Summary.ThroughputPerSecond),
				formatMillis(l.P50), formatMillis(l.P95), formatMillis(l.P99), format.Percent(s.Summary.ErrorShare))
		}
	}
	return t
}
