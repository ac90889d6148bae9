package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

func TestLatencyOverTime(t *testing.T) {
	none := measurement.Missing
	r := &document.RunResult{Times: document.Times{WindowSeconds: 12}, Series: document.Throughput{
		MeanLatencyMillis: measurement.Series{3, none, 4},
		LatencyIntervals: &measurement.LatencyIntervals{IntervalSeconds: 5, P50: measurement.Series{20, none, 700}, P95: measurement.Series{none, none, 900},
			P99: measurement.Series{none, none, none}},
	}}
	charts := latencyOverTime(r)
	if len(charts) != 1 {
		t.Fatalf("got %d charts", len(charts))
	}
	var text bytes.Buffer
	if err := charts[0].Write(&text, SVG); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mean of each second", "p50", "p95", ">1000<", ">2<"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the chart lacks %q", want)
		}
	}
	if strings.Contains(text.String(), ">p99<") {
		t.Error("the chart has a percentile that no interval supports")
	}
	if g := charts[0].computeGeometry(); !g.Y.Log || g.X.Max != 12 || g.Right <= g.Left || g.Bottom <= g.Top {
		t.Errorf("the geometry is %+v", g)
	}
}

func TestLatencyOverTimeNeedsLatencies(t *testing.T) {
	for name, s := range map[string]document.Throughput{
		"none":    {},
		"missing": {MeanLatencyMillis: measurement.Series{measurement.Missing}},
		"unknown percentiles": {LatencyIntervals: &measurement.LatencyIntervals{IntervalSeconds: 5, P50: measurement.Series{measurement.Missing},
			P95: measurement.Series{measurement.Missing}, P99: measurement.Series{measurement.Missing}}},
	} {
		if charts := latencyOverTime(&document.RunResult{Series: s}); charts != nil {
			t.Errorf("%s: got %d charts", name, len(charts))
		}
	}
}
