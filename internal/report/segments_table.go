package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// segmentsTable has the results of each segment of the window. It has no rows without a profile of the load or faults.
func segmentsTable(r *document.RunResult) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Segment"),
		numberColumns("Seconds", "Offered/s", "Planned", "Throughput/s", "p50", "p95", "p99", "Errors"))}
	for i := range r.Segments {
		part := &r.Segments[i]
		row := []string{part.Name, fmt.Sprintf("%d–%d", part.FromSeconds, part.FromSeconds+part.Seconds), part.DescribeLoad(formatNumber),
			formatInteger(part.Planned), formatNumber(part.Summary.ThroughputPerSecond)}
		for _, v := range []*float64{part.Summary.Latency.P50, part.Summary.Latency.P95, part.Summary.Latency.P99} {
			row = append(row, formatQuantity(measurement.ValueOrMissing(v), "ms"))
		}
		t.Rows = append(t.Rows, tableRow{Cells: append(row, formatPercent(part.Summary.ErrorShare))})
	}
	return t
}

// pointSegmentsTable has the metrics of each segment at each point. It has no rows without segments.
func pointSegmentsTable(e *experiment.Result) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Point"), variantColumns(e), textColumns(parameterNames(e)...), textColumns("Segment"))}
	for _, metric := range experiment.SegmentMetrics {
		m := experimentMetric(e, string(metric))
		t.Header = append(t.Header, numberColumns(withUnit(m.title, m.displayUnit()))...)
	}
	for _, p := range e.Points {
		for _, s := range p.Segments {
			cells := slices.Concat([]string{p.Name}, variantCells(e, p), parameterValues(e, p), []string{s.Segment})
			for _, metric := range experiment.SegmentMetrics {
				cells = append(cells, formatEstimate(s.Metrics[string(metric)], experimentMetric(e, string(metric))))
			}
			t.Rows = append(t.Rows, tableRow{Cells: cells})
		}
	}
	return t
}

// shadeSegments shades every second segment of the window and names all.
func (c *Chart) shadeSegments(r *document.RunResult) {
	bands := mark{Kind: shadeMark, style: style{Color: faintColor, Opacity: 0.1}}
	for i := range r.Segments {
		bands.Points = append(bands.Points, xy{X: float64(r.Segments[i].FromSeconds)})
		bands.Texts = append(bands.Texts, truncateRunes(r.Segments[i].Name, 40))
	}
	c.addMark(bands)
}

// offeredRates returns the rate of a profile over the seconds of the window, or nil without one.
func offeredRates(r *document.RunResult) []xy {
	var w protocol.WorkloadFile[any]
	if json.Unmarshal(r.Workload, &w) != nil || w.Load == nil {
		return nil
	}
	var points []xy
	from := -w.Measure.WarmUpSeconds
	for _, p := range w.Load.Rates {
		if to := from + p.Seconds; to > 0 {
			points = append(points, xy{float64(max(0, from)), p.FromPerSecond}, xy{float64(to), p.ToPerSecond})
		}
		from += p.Seconds
	}
	return points
}

// WriteSegmentsCSV writes a row for each segment of the window. Without segments it writes only the header.
func WriteSegmentsCSV(w io.Writer, r *document.RunResult) error {
	t := csvTable{header: slices.Concat([]string{"segment", "fromSeconds", "seconds", "offeredPerSecond", "planned", "throughputPerSecond", "completed",
		"requests", "errors", "errorShare"}, latencyColumns)}
	for i := range r.Segments {
		part := &r.Segments[i]
		s := &part.Summary
		row := []string{part.Name, strconv.Itoa(part.FromSeconds), strconv.Itoa(part.Seconds), formatCSVFloat(part.OfferedPerSecond),
			formatCSVInteger(part.Planned), formatCSVFloat(s.ThroughputPerSecond), formatCSVInteger(s.Completed), formatCSVInteger(s.Requests),
			formatCSVInteger(s.Errors), formatCSVFloat(s.ErrorShare)}
		t.rows = append(t.rows, append(row, formatCSVLatency(&s.Latency)...))
		if part.Clients > 0 {
			t.setLast("clients", formatCSVFloat(part.Clients))
		}
	}
	return t.writeTo(w)
}
