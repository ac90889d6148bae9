package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// latencyOverTime returns a chart of the mean latency by second and the percentiles by interval, as far as they are known.
func latencyOverTime(r *document.RunResult) []Chart {
	means, intervals := r.Series.MeanLatencyMillis, r.Series.LatencyIntervals
	if intervals == nil {
		intervals = &measurement.LatencyIntervals{}
	}
	low, high := positiveRange(means, intervals.P50, intervals.P95, intervals.P99)
	if high == 0 {
		return nil
	}
	name := latencyTitle(r.Summary.Unit, r.Summary.LatencyKind)
	c := newWindowChart(r, "latency-over-time", name+" over time", name+" (ms)")
	c.useLatencyAxis(low, high)
	if _, highest := positiveRange(means); highest > 0 {
		c.addMark(mark{Kind: lineMark, Legend: "mean of each second", style: style{Color: faintColor, Opacity: 0.55, Width: thinLine},
			Series: &seriesSource{Path: []any{"series", "meanLatencyMillis"}, Seconds: 1}})
	}
	for i, percentile := range []struct {
		name   string
		values measurement.Series
	}{{"p50", intervals.P50}, {"p95", intervals.P95}, {"p99", intervals.P99}} {
		if _, highest := positiveRange(percentile.values); highest > 0 {
			c.addMark(mark{Kind: lineMark, Legend: percentile.name, style: seriesStyleAt(i),
				Series: &seriesSource{Path: []any{"series", "latencyIntervals", percentile.name + "Millis"}, Seconds: intervals.IntervalSeconds, Steps: true}})
		}
	}
	c.shadeWindow(r)
	if intervals.IntervalSeconds > 0 {
		c.Caption = fmt.Sprintf("Percentiles by intervals of %d s, of the %s that start in them. Those with fewer than ten values above them are left out.",
			intervals.IntervalSeconds, unitOrDefault(r.Summary.Unit))
	}
	return []Chart{c}
}

// positiveRange returns the lowest and highest positive value of all series, or zeros if there is none.
func positiveRange(all ...measurement.Series) (low, high float64) {
	values := slices.DeleteFunc(slices.Clone(slices.Concat(all...)), func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
	if len(values) == 0 {
		return 0, 0
	}
	return slices.Min(values), slices.Max(values)
}
