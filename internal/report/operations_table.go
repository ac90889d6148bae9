package report

import (
	"io"
	"slices"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// operationsTable compares the kinds of operations of a mix.
func operationsTable(r *document.RunResult) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Kind"), operationColumns)}
	for i := range r.Operations {
		t.Rows = append(t.Rows, tableRow{Cells: operationCells(&r.Operations[i])})
	}
	return t
}

// segmentOperationsTable compares the kinds of operations of a mix in each segment of the window.
func segmentOperationsTable(r *document.RunResult) htmlTable {
	t := htmlTable{Title: "Operations by kind", Header: slices.Concat(textColumns("Segment", "Kind"), operationColumns)}
	for i := range r.Segments {
		for k := range r.Segments[i].Operations {
			t.Rows = append(t.Rows, tableRow{Cells: slices.Concat([]string{r.Segments[i].Name}, operationCells(&r.Segments[i].Operations[k]))})
		}
	}
	return t
}

// operationColumns are the columns of operationCells after the name.
var operationColumns = numberColumns("Share", "Completed", "Throughput/s", "p50", "p95", "p99", "Failed", "Errors")

func operationCells(o *measurement.OperationSummary) []string {
	row := []string{o.Name, formatPercent(o.Share), formatInteger(o.Completed), formatNumber(o.ThroughputPerSecond)}
	for _, v := range []*float64{o.Latency.P50, o.Latency.P95, o.Latency.P99} {
		row = append(row, formatQuantity(measurement.ValueOrMissing(v), "ms"))
	}
	return append(row, formatInteger(o.Failed), formatPercent(o.ErrorShare))
}

// WriteOperationsCSV writes a row for each kind of operation of a mix and, with segments, for each kind and segment. Without kinds it
// writes only the header.
func WriteOperationsCSV(w io.Writer, r *document.RunResult) error {
	t := csvTable{header: slices.Concat([]string{"operation", "share", "completed", "throughputPerSecond", "failed", "errorShare"}, latencyColumns)}
	addRows := func(all []measurement.OperationSummary, segment string) {
		for i := range all {
			o := &all[i]
			row := []string{o.Name, formatCSVFloat(o.Share), formatCSVInteger(o.Completed), formatCSVFloat(o.ThroughputPerSecond),
				formatCSVInteger(o.Failed), formatCSVFloat(o.ErrorShare)}
			t.rows = append(t.rows, append(row, formatCSVLatency(&o.Latency)...))
			if segment != "" {
				t.setLast("segment", segment)
			}
		}
	}
	addRows(r.Operations, "")
	for i := range r.Segments {
		addRows(r.Segments[i].Operations, r.Segments[i].Name)
	}
	return t.writeTo(w)
}
