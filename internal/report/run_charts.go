package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

const secondsAxisTitle = "Second of the window"

// measuredCharts returns the charts of throughput, latency, CPU and memory, and blocks.
func measuredCharts(r *document.RunResult) ([]Chart, error) {
	charts := append([]Chart{throughputOverTime(r)}, latencyOverTime(r)...)
	latency, err := latencyCharts(r)
	if err != nil {
		return nil, err
	}
	charts = append(charts, latency...)
	charts = append(charts, resourceCharts(r)...)
	return append(charts, blockCharts(r)...), nil
}

// throughputOverTime shows the throughput of each second, smoothed if there are many, any failures, and the mean. One mean does
// not describe a window with a profile, which has the offered rate instead.
func throughputOverTime(r *document.RunResult) Chart {
	c := newWindowChart(r, "throughput-over-time", "Throughput over time", unitOrDefault(r.Summary.Unit)+" per second")
	source := seriesSource{Path: []any{"series", "completedPerSecond"}, Seconds: 1}
	look := seriesStyleAt(0)
	if span := smoothingSpan(len(r.Series.CompletedPerSecond)); span > 1 {
		smoothed := source
		smoothed.Span = span
		c.addMark(mark{Kind: lineMark, Legend: "each second", style: style{Color: look.Color, Opacity: 0.35, Width: thinLine}, Series: &source})
		c.addMark(mark{Kind: lineMark, Legend: fmt.Sprintf("mean over %d s", span), style: look, Series: &smoothed})
	} else if span == 1 {
		c.addMark(mark{Kind: lineMark, Legend: "completed", style: look, Series: &source})
	}
	if slices.Max(append(slices.Clone(r.Series.FailedPerSecond), 0)) > 0 {
		c.addMark(mark{Kind: lineMark, Legend: "failed", style: style{Color: worseColor, Width: thickLine},
			Series: &seriesSource{Path: []any{"series", "failedPerSecond"}, Seconds: 1}})
	}
	if offered := offeredRates(r); len(offered) > 0 {
		c.addMark(mark{Kind: lineMark, Legend: "offered", style: hintLine, Points: offered})
	} else {
		c.addHorizontalLine(r.Summary.ThroughputPerSecond, "mean "+formatNumber(r.Summary.ThroughputPerSecond), hintLine)
	}
	c.shadeWindow(r)
	return c
}

// newWindowChart returns a chart over the seconds of the window.
func newWindowChart(r *document.RunResult, name, title, y string) Chart {
	c := newChart(name, title, secondsAxisTitle, y)
	c.X.Min, c.X.Max = finitePointer(0), finitePointer(float64(r.Times.WindowSeconds))
	return c
}

// smoothingSpan returns over how many seconds a series is averaged to about 120 values: 1 for a short series, and 0
// without values.
func smoothingSpan(length int) int { return (length + 119) / 120 }

// latencyCharts show the histogram in bars of equal ratio, and the percentiles as far as there are samples.
func latencyCharts(r *document.RunResult) ([]Chart, error) {
	h, err := r.DecodeHistogram()
	if err != nil {
		return nil, fmt.Errorf("read histogram of run %s: %w", r.Run.Name, err)
	}
	if h.Count() == 0 {
		return nil, nil
	}
	return []Chart{latencyDistribution(r, h.Counts()), latencyPercentiles(r, h.Counts())}, nil
}

// barsPerDecade is the number of bars for each decade of latency.
const barsPerDecade = 25

func latencyDistribution(r *document.RunResult, h *hdrhistogram.Histogram) Chart {
	name := latencyTitle(r.Summary.Unit, r.Summary.LatencyKind)
	c := newChart("latency-distribution", name+" distribution", name+" (ms)", "Share of "+unitOrDefault(r.Summary.Unit)+" (%)")
	c.X.Log = true
	counts := map[int]int64{}
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			counts[int(math.Floor(barsPerDecade*math.Log10(float64(bar.To)/1000)))] += bar.Count
		}
	}
	bars := mark{Kind: boxesMark, style: style{Color: firstColor, Opacity: 0.75}}
	for _, bin := range slices.Sorted(maps.Keys(counts)) {
		from, to := math.Pow(10, float64(bin)/barsPerDecade), math.Pow(10, float64(bin+1)/barsPerDecade)
		bars.Points = append(bars.Points, xy{from, 0}, xy{to, 100 * float64(counts[bin]) / float64(h.TotalCount())})
	}
	c.addMark(bars)
	l := r.Summary.Latency
	for i, p := range []struct {
		name string
		at   *float64
	}{{"p50", l.P50}, {"p95", l.P95}, {"p99", l.P99}} {
		if p.at != nil && *p.at > 0 {
			c.addMark(mark{Kind: verticalMark, Legend: p.name + " " + formatNumber(*p.at) + " ms", Points: []xy{{X: *p.at}},
				style: style{Color: inkColor, Width: 1, Dashes: dashPatterns[i%len(dashPatterns)]}})
		}
	}
	c.Caption = fmt.Sprintf("%s latencies; each bar spans a ratio of %.2f.", formatInteger(h.TotalCount()), math.Pow(10, 1.0/barsPerDecade))
	return c
}

// latencyPercentiles shows the share of slower operations on a logarithmic axis, so that the tail has as much
// space as the body.
func latencyPercentiles(r *document.RunResult, h *hdrhistogram.Histogram) Chart {
	name := latencyTitle(r.Summary.Unit, r.Summary.LatencyKind)
	c := newChart("latency-percentiles", name+" by percentile", "Percentile", name+" (ms)")
	var points []xy
	for _, b := range h.CumulativeDistributionWithTicks(10) {
		if b.Quantile < 100 && b.Count > 0 && h.TotalCount() >= measurement.SamplesForPercentile(b.Quantile) {
			points = append(points, xy{100 / (100 - b.Quantile), float64(b.ValueAt) / 1000})
		}
	}
	if len(points) == 0 {
		points = []xy{{1, float64(h.Max()) / 1000}}
	}
	c.addMark(mark{Kind: lineMark, style: seriesStyleAt(0), Points: points})
	last := points[len(points)-1]
	c.X.Min, c.X.Max, c.X.Log = finitePointer(1), finitePointer(max(last.X, 2)), true
	for i, label := range []string{"0", "50", "90", "99", "99.9", "99.99", "99.999"} {
		if at := []float64{1, 2, 10, 100, 1e3, 1e4, 1e5}[i]; at <= *c.X.Max {
			c.X.Ticks = append(c.X.Ticks, tick{at, label})
		}
	}
	c.useLatencyAxis(points[0].Y, last.Y)
	return c
}

// blockCharts show the time between consecutive blocks, and their size if it varies.
func blockCharts(r *document.RunResult) []Chart {
	if len(r.Blocks) < 2 {
		return nil
	}
	var times, sizes []xy
	varied, largest := false, 0.0
	for i, b := range r.Blocks {
		at := float64(b.Micros) / 1e6
		sizes = append(sizes, xy{at, float64(b.Bytes)})
		varied, largest = varied || b.Bytes != r.Blocks[0].Bytes, max(largest, float64(b.Bytes))
		if i > 0 && b.Height == r.Blocks[i-1].Height+1 {
			times = append(times, xy{at, float64(b.Micros-r.Blocks[i-1].Micros) / 1000})
		}
	}
	charts := []Chart{blockChart(r, "block-time", "Block time", "Time since the previous block (ms)", times)}
	if varied {
		unit, scale := chooseByteUnit(largest)
		for i := range sizes {
			sizes[i].Y /= scale
		}
		charts = append(charts, blockChart(r, "block-size", "Block size", "Size ("+unit+")", sizes))
	}
	return charts
}

func blockChart(r *document.RunResult, name, title, y string, points []xy) Chart {
	c := newWindowChart(r, name, title, y)
	c.addMark(mark{Kind: lineMark, style: style{Color: firstColor, Opacity: 0.35, Width: thinLine}, Points: points})
	c.addMark(mark{Kind: dotsMark, style: style{Color: firstColor, Shape: circle, Size: 1.8}, Points: points})
	c.Caption = formatInteger(int64(len(r.Blocks))) + " blocks."
	if r.BlocksOmitted > 0 {
		c.Caption = fmt.Sprintf("%s blocks; %s more were decided but are not listed.", formatInteger(int64(len(r.Blocks))), formatInteger(r.BlocksOmitted))
	}
	return c
}

// latencyTitle returns the title of latencies: in a closed loop they are service times, and if operations are
// blocks, the time between consecutive blocks.
func latencyTitle(unit string, kind measurement.LatencyKind) string {
	switch {
	case unit == "blocks":
		return "Block time"
	case kind == measurement.ServiceTime:
		return "Service time"
	}
	return "Latency"
}

// unitOrDefault returns the unit of an operation for people.
func unitOrDefault(unit string) string { return cmp.Or(unit, "operations") }

// latencyOverTime returns a chart of the mean latency by second and the percentiles by interval, as far as they are known.
func latencyOverTime(r *document.RunResult) []Chart {
	means, intervals := r.Series.MeanLatencyMillis, cmp.Or(r.Series.LatencyIntervals, &measurement.LatencyIntervals{})
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
