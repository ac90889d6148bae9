package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

const secondsAxisTitle = "Second of the window"

var (
	thinLine    = vg.Length(0.8)
	thickLine   = vg.Length(1.6)
	dashPattern = []vg.Length{5, 3}
	hintLine    = draw.LineStyle{Color: faintColor, Width: 1, Dashes: dashPattern}
)

// RunCharts returns the charts of one run, the most informative first.
func RunCharts(r *document.RunResult) ([]Chart, error) {
	charts, err := measuredCharts(r)
	if b := r.Bottleneck; err == nil && b != nil && len(b.Evidence) > 0 {
		charts = append(charts, utilizationChart(b))
	}
	if r.Phases != nil {
		charts = append(charts, phasesChart(r.Phases))
	}
	return append(charts, recordedCharts(r)...), err
}

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

// throughputOverTime shows the throughput of each second, smoothed if there are many, and any failures.
func throughputOverTime(r *document.RunResult) Chart {
	unit := unitOrDefault(r.Summary.Unit)
	g := newChartBuilder("throughput-over-time", "Throughput over time", secondsAxisTitle, unit+" per second")
	completed, failed := measurement.SeriesFromCounts(r.Series.CompletedPerSecond), measurement.SeriesFromCounts(r.Series.FailedPerSecond)
	look := seriesStyleAt(0)
	if span := smoothingSpan(len(completed)); span > 1 {
		faded := look.lineStyle(thinLine)
		faded.Color = withAlpha(look.color, 0x59)
		if l := g.drawSeries(completed, 1, faded); l != nil {
			g.addLegendEntry("each second", l)
		}
		g.addLegendEntry(fmt.Sprintf("mean over %d s", span), g.drawSeries(movingMean(completed, span), 1, look.lineStyle(thickLine)))
	} else if l := g.drawSeries(completed, 1, look.lineStyle(thickLine)); l != nil {
		g.addLegendEntry("completed", l)
	}
	if slices.Max(append(failed, 0)) > 0 {
		if l := g.drawSeries(failed, 1, draw.LineStyle{Color: worseColor, Width: thickLine}); l != nil {
			g.addLegendEntry("failed", l)
		}
	}
	g.drawHorizontalLine(r.Summary.ThroughputPerSecond, "mean "+formatNumber(r.Summary.ThroughputPerSecond), rightEnd, hintLine)
	g.plot.X.Min, g.plot.X.Max = 0, float64(r.Times.WindowSeconds)
	g.startAtZero()
	return g.Chart
}

// smoothingSpan returns over how many seconds a series is averaged to about 120 values; 1 for a short series.
func smoothingSpan(length int) int { return max(1, (length+119)/120) }

// movingMean returns the centred moving mean of the measured values.
func movingMean(values measurement.Series, span int) measurement.Series {
	means := make(measurement.Series, len(values))
	for i := range values {
		means[i] = values[max(0, i-span/2):min(len(values), i+span/2+1)].Mean()
	}
	return means
}

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
	g := newChartBuilder("latency-distribution", name+" distribution", name+" (ms)", "Share of "+unitOrDefault(r.Summary.Unit)+" (%)")
	counts := map[int]int64{}
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			counts[int(math.Floor(barsPerDecade*math.Log10(float64(bar.To)/1000)))] += bar.Count
		}
	}
	b := barPlotter{color: withAlpha(palette[0], 0xbf)}
	for bin, count := range counts {
		from, to := math.Pow(10, float64(bin)/barsPerDecade), math.Pow(10, float64(bin+1)/barsPerDecade)
		b.rects = append(b.rects, barRect{from, to, 100 * float64(count) / float64(h.TotalCount())})
	}
	slices.SortFunc(b.rects, func(a, b barRect) int { return int(math.Copysign(1, a.from-b.from)) })
	g.plot.Add(b)
	g.useLogarithmicX(logTicks{})
	l := r.Summary.Latency
	for i, p := range []struct {
		name string
		at   *float64
	}{{"p50", l.P50}, {"p95", l.P95}, {"p99", l.P99}} {
		if p.at == nil {
			continue
		}
		style := draw.LineStyle{Color: inkColor, Width: 1, Dashes: dashPatterns[i%len(dashPatterns)]}
		if *p.at > 0 {
			g.drawVerticalLine(*p.at, "", style)
		}
		g.addLegendEntry(p.name+" "+formatNumber(*p.at)+" ms", &plotter.Line{LineStyle: style})
	}
	g.startAtZero()
	g.Caption = fmt.Sprintf("%s latencies; each bar spans a ratio of %.2f.", formatInteger(h.TotalCount()), math.Pow(10, 1.0/barsPerDecade))
	return g.Chart
}

// latencyPercentiles shows the share of slower operations on a logarithmic axis, so that the tail has as much
// space as the body.
func latencyPercentiles(r *document.RunResult, h *hdrhistogram.Histogram) Chart {
	name := latencyTitle(r.Summary.Unit, r.Summary.LatencyKind)
	g := newChartBuilder("latency-percentiles", name+" by percentile", "Percentile", name+" (ms)")
	var points plotter.XYs
	for _, b := range h.CumulativeDistributionWithTicks(10) {
		if b.Quantile < 100 && b.Count > 0 && h.TotalCount() >= measurement.SamplesForPercentile(b.Quantile) {
			points = append(points, plotter.XY{X: 100 / (100 - b.Quantile), Y: float64(b.ValueAt) / 1000})
		}
	}
	if len(points) == 0 {
		points = plotter.XYs{{X: 1, Y: float64(h.Max()) / 1000}}
	}
	g.drawLine(points, seriesStyleAt(0).lineStyle(thickLine))
	last := points[len(points)-1].X
	var ticks fixedTicks
	for _, t := range []plot.Tick{{Value: 1, Label: "0"}, {Value: 2, Label: "50"}, {Value: 10, Label: "90"}, {Value: 100, Label: "99"},
		{Value: 1e3, Label: "99.9"}, {Value: 1e4, Label: "99.99"}, {Value: 1e5, Label: "99.999"}} {
		if t.Value <= math.Max(last, 2) {
			ticks = append(ticks, t)
		}
	}
	g.plot.X.Min, g.plot.X.Max = 1, math.Max(last, 2)
	g.useLogarithmicX(ticks)
	g.setLatencyAxis(points[0].Y, points[len(points)-1].Y)
	g.fitY()
	return g.Chart
}

// blockCharts show the time between consecutive blocks, and their size if it varies.
func blockCharts(r *document.RunResult) []Chart {
	if len(r.Blocks) < 2 {
		return nil
	}
	var times, sizes plotter.XYs
	varied := false
	for i, b := range r.Blocks {
		at := float64(b.Micros) / 1e6
		sizes = append(sizes, plotter.XY{X: at, Y: float64(b.Bytes)})
		varied = varied || b.Bytes != r.Blocks[0].Bytes
		if i > 0 && b.Height == r.Blocks[i-1].Height+1 {
			times = append(times, plotter.XY{X: at, Y: float64(b.Micros-r.Blocks[i-1].Micros) / 1000})
		}
	}
	charts := []Chart{blockChart(r, "block-time", "Block time", "Time since the previous block (ms)", times)}
	if varied {
		unit, scale := chooseByteUnit(slices.MaxFunc(sizes, func(a, b plotter.XY) int { return int(a.Y - b.Y) }).Y)
		for i := range sizes {
			sizes[i].Y /= scale
		}
		charts = append(charts, blockChart(r, "block-size", "Block size", "Size ("+unit+")", sizes))
	}
	return charts
}

func blockChart(r *document.RunResult, name, title, y string, points plotter.XYs) Chart {
	g := newChartBuilder(name, title, secondsAxisTitle, y)
	g.drawLine(points, draw.LineStyle{Color: withAlpha(palette[0], 0x59), Width: thinLine})
	g.drawPoints(points, draw.CircleGlyph{}, palette[0], 1.6)
	g.plot.X.Min, g.plot.X.Max = 0, float64(r.Times.WindowSeconds)
	g.startAtZero()
	g.Caption = formatInteger(int64(len(r.Blocks))) + " blocks."
	if r.BlocksOmitted > 0 {
		g.Caption = fmt.Sprintf("%s blocks; %s more were decided but are not listed.", formatInteger(int64(len(r.Blocks))), formatInteger(r.BlocksOmitted))
	}
	return g.Chart
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
func unitOrDefault(unit string) string {
	if unit == "" {
		return "operations"
	}
	return unit
}
