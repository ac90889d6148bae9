package table

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestForSegments(t *testing.T) {
	run := &document.RunResult{Run: document.RunIdentity{Name: "m1-day"}, Segments: []document.SegmentResult{
		{Segment: measurement.Segment{Name: "base", Seconds: 20, OfferedPerSecond: 10}, Planned: 200,
			Summary: measurement.Summary{ThroughputPerSecond: 9.9, ErrorShare: 0.01, Latency: measurement.Latency{P50: new(20.0), P95: new(30.0)}}},
		{},
	}}
	var text strings.Builder
	if err := ForSegments([]*documents.Run{{RunResult: run}}).Print(&text, false); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"NAME SEGMENT SECONDS OFFERED/S PLANNED THROUGHPUT/S P50 MS P95 MS P99 MS ERRORS",
		"m1-day base 0-20 10.0 200 9.90 20.0 30.0 - 1 %", "m1-day - 0-0 0 0 0 - - - 0 %"}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s", got)
	}
}
