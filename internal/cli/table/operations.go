package table

import (
	"strconv"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/format"
)

// ForOperations returns a table of the kinds of operations of the mixes of runs. Latencies are in milliseconds.
func ForOperations(runs []*documents.Run) *Table {
	t := New("Name", "Kind", "Share", "Completed", "Throughput/s", "P50 ms", "P95 ms", "P99 ms", "Failed", "Errors")
	for _, run := range runs {
		for i := range run.Operations {
			o := &run.Operations[i]
			t.AddRow(run.Run.Name, o.Name, format.Percent(o.Share), strconv.FormatInt(o.Completed, 10), format.Number(o.ThroughputPerSecond),
				formatMillis(o.Latency.P50), formatMillis(o.Latency.P95), formatMillis(o.Latency.P99),
				strconv.FormatInt(o.Failed, 10), format.Percent(o.ErrorShare))
		}
	}
	return t
}
