package report

import (
	"slices"
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
	var names []string
	for _, m := range charts[0].Marks {
		names = append(names, m.Legend)
	}
	if want := []string{"mean of each second", "p50", "p95"}; !slices.Equal(names, want) {
		t.Errorf("the legend is %q, want %q: no interval supports a p99", names, want)
	}
	if c := charts[0]; !c.Y.Log || *c.Y.Min != 2 || *c.Y.Max != 1000 || *c.X.Max != 12 {
		t.Errorf("the axes are %s and %s", marshalJSON(t, c.X), marshalJSON(t, c.Y))
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
