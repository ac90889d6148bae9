package report

import (
	"io"
	"slices"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// operationsTable compares the kinds of operations of a mix.
func operationsTable(r *document.RunResult) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Kind"), numberColumns("Share", "Completed", "Throughput/s", "p50", "p95", "p99", "Failed", "Errors"))}
	for i := range r.Operations {
		o := &r.Operations[i]
		row := []string{o.Name, formatPercent(o.Share), formatInteger(o.Completed), formatNumber(o.ThroughputPerSecond)}
		for _, v := range []*float64{o.Latency.P50, o.Latency.P95, o.Latency.P99} {
			row = append(row, formatQuantity(measurement.ValueOrMissing(v), "ms"))
		}
		t.Rows = append(t.Rows, tableRow{Cells: append(row, formatInteger(o.Failed), formatPercent(o.ErrorShare))})
	}
	return t
}

// WriteOperationsCSV writes a row for each kind of operation of a mix. Without kinds it writes only the header.
func WriteOperationsCSV(w io.Writer, r *document.RunResult) error {
	t := csvTable{header: slices.Concat([]string{"operation", "share", "completed", "throughputPerSecond", "failed", "errorShare"}, latencyColumns)}
	for i := range r.Operations {
		o := &r.Operations[i]
		row := []string{o.Name, formatCSVFloat(o.Share), formatCSVInteger(o.Completed), formatCSVFloat(o.ThroughputPerSecond),
			formatCSVInteger(o.Failed), formatCSVFloat(o.ErrorShare)}
		t.rows = append(t.rows, append(row, formatCSVLatency(&o.Latency)...))
	}
	return t.writeTo(w)
}
