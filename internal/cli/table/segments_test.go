package table

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

func TestForSegments(t *testing.T) {
	run := &document.RunResult{Run: document.RunIdentity{Name: "m1-day"}, Segments: []document.SegmentResult{
		{Segment: measurement.Segment{Name: "base", Seconds: 20, OfferedPerSecond: 10}, Planned: 200,
			Summary: measurement.Summary{ThroughputPerSecond: 9.9, ErrorShare: 0.01, Latency: measurement.Latency{P50: new(20.0), P95: new(30.0)}}},
		{Operations: []measurement.OperationSummary{{Name: "pay", Share: 0.8, Completed: 7, ThroughputPerSecond: 3.5, Latency: measurement.Latency{P50: new(20.0)}}}},
	}}
	runs := []*documents.Run{{RunResult: run}}
	points := []experiment.Point{{Name: "p01", Variant: "raft", Segments: []experiment.PointSegment{{Segment: "base", Metrics: map[string]statistics.Estimate{
		"Throughput": statistics.EstimateMean([]float64{10}, 0.95), "ErrorShare": statistics.EstimateMean([]float64{0.01}, 0.95)}}}}}
	for name, c := range map[string]struct {
		table *Table
		want  []string
	}{
		"segments": {ForSegments(runs), []string{"NAME SEGMENT SECONDS OFFERED/S PLANNED THROUGHPUT/S P50 MS P95 MS P99 MS ERRORS",
			"m1-day base 0-20 10.0 200 9.90 20.0 30.0 - 1 %", "m1-day - 0-0 0 0 0 - - - 0 %"}},
		"operations": {ForSegmentOperations(runs), []string{"NAME SEGMENT KIND SHARE COMPLETED THROUGHPUT/S P50 MS P95 MS P99 MS FAILED ERRORS",
			"m1-day - pay 80 % 7 3.50 20.0 - - 0 0 %"}},
		"points": {ForPointSegments(points), []string{"POINT PARAMETERS SEGMENT THROUGHPUT P50 MS P95 MS P99 MS ERRORS", "p01 variant=raft base 10.0 - - - 1 %"}},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			if err := c.table.Print(&text, false); err != nil {
				t.Fatal(err)
			}
			var lines []string
			for line := range strings.Lines(text.String()) {
				lines = append(lines, strings.Join(strings.Fields(line), " "))
			}
			if got := strings.Join(lines, "\n"); got != strings.Join(c.want, "\n") {
				t.Errorf("%s", got)
			}
		})
	}
}
