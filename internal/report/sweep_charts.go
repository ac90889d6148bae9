package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// minCurveValues is the smallest number of values of a curve. Fewer are shown as bars.
const minCurveValues = 3

// sweepCharts show throughput and latency along a parameter, with intervals and every single run.
func sweepCharts(e *experiment.Result, s sweep) []Chart {
	if !s.numeric || len(s.values) < minCurveValues {
		return barCharts(e, s)
	}
	charts := []Chart{s.metricChart(e, experimentMetric(e, string(v1alpha1.MetricThroughput)))}
	if len(s.lines) == 1 {
		charts = append(charts, s.latencyChart(e))
	} else {
		for _, m := range []v1alpha1.Metric{v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95, v1alpha1.MetricLatencyP99} {
			if s.hasValues(m) {
				charts = append(charts, s.metricChart(e, experimentMetric(e, string(m))))
			}
		}
	}
	if hasErrors(e) {
		charts = append(charts, s.metricChart(e, experimentMetric(e, string(v1alpha1.MetricErrorShare))))
	}
	if isLoadParameter(e, s.parameter) {
		charts = append(charts, s.throughputLatencyChart(e))
	}
	return charts
}

// isLoadParameter reports whether the parameter is the load on the network.
func isLoadParameter(e *experiment.Result, name string) bool {
	for _, a := range e.Axes {
		if a.Name == name {
			return strings.HasPrefix(a.Field, "workload.load.")
		}
	}
	return true // Only a search adds a parameter that is not an axis: its load.
}

// hasValues reports whether any run has the metric. Percentiles of few latencies are absent.
func (s sweep) hasValues(m v1alpha1.Metric) bool {
	return slices.ContainsFunc(s.lines, func(l sweepLine) bool {
		return slices.ContainsFunc(l.points, func(p sweepPoint) bool {
			return p.Metrics[string(m)].N > 0 || slices.ContainsFunc(p.runs, func(r experiment.Run) bool { _, known := r.Metrics[string(m)]; return known })
		})
	})
}

func hasErrors(e *experiment.Result) bool {
	return slices.ContainsFunc(e.Runs, func(r experiment.Run) bool { return r.Metrics[string(v1alpha1.MetricErrorShare)] > 0 })
}

// newChartBuilder returns a chart with the values of the parameter on its horizontal axis.
func (s sweep) newChartBuilder(name, title, y string) *chartBuilder {
	g := newChartBuilder(sanitizeFileName(name+"-by-"+s.parameter), title, splitCamelCase(s.parameter), y)
	ticks := fixedTicks{}
	for i, v := range s.values {
		ticks = append(ticks, valueTicks([]float64{s.positions[i]})...)
		ticks[i].Label = dropUnprintable(v)
	}
	low, high := s.positions[0], s.positions[len(s.positions)-1]
	g.plot.X.Min, g.plot.X.Max = low, high
	wide := low > 0 && high/low >= 16
	if wide {
		g.useLogarithmicX(ticks)
	}
	g.plot.X.Tick.Marker = ticks.dropOverlappingLabels(g.plot.X.Norm)
	g.plot.X.Min, g.plot.X.Max = g.offsetOnAxis(low, -markSpacing*float64(len(s.lines)+1)/2), g.offsetOnAxis(high, markSpacing*float64(len(s.lines)+1)/2)
	g.plot.X.Padding = 8
	return g
}

func (s sweep) metricChart(e *experiment.Result, m metricInfo) Chart {
	g := s.newChartBuilder(string(m.name), m.title+" by "+s.parameter, m.axisTitle(operationUnit(e)))
	if isOfferedRate(e, s.parameter) {
		g.shadeOverload(s)
		if m.name == v1alpha1.MetricThroughput {
			g.drawOfferedRate(s)
		}
	}
	if m.isLatency() {
		g.setLatencyAxis(s.valueRange(m))
	}
	for i, l := range s.lines {
		mark := g.drawEstimates(l.points, m, seriesStyleAt(i), markOffset(i, len(s.lines)))
		if l.name != "" && mark != nil {
			g.addLegendEntry(l.name, mark)
		}
	}
	g.fitY()
	g.Caption = intervalCaption(e)
	return g.Chart
}

// latencyChart shows the percentiles of the only line.
func (s sweep) latencyChart(e *experiment.Result) Chart {
	title := latencyTitle(operationUnit(e), latencyKind(e))
	g := s.newChartBuilder("latency", title+" by "+s.parameter, title+" (ms)")
	if isOfferedRate(e, s.parameter) {
		g.shadeOverload(s)
	}
	var metrics []metricInfo
	for _, m := range []v1alpha1.Metric{v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95, v1alpha1.MetricLatencyP99} {
		metrics = append(metrics, experimentMetric(e, string(m)))
	}
	g.setLatencyAxis(s.valueRange(metrics...))
	for i, m := range metrics {
		if mark := g.drawEstimates(s.lines[0].points, m, seriesStyleAt(i), 0); mark != nil {
			g.addLegendEntry(strings.ToLower(strings.TrimPrefix(string(m.name), "Latency")), mark)
		}
	}
	g.fitY()
	g.Caption = intervalCaption(e)
	return g.Chart
}

// markSpacing is the distance, as a share of the axis, between marks that would overlap.
const markSpacing = 0.014

// markOffset returns the distance of a line's marks from their value, so that the intervals of several lines
// are visible.
func markOffset(line, of int) float64 { return markSpacing * (float64(line) - float64(of-1)/2) }

// offsetOnAxis returns the position at a share of the axis from a value. A logarithmic axis multiplies.
func (g *chartBuilder) offsetOnAxis(value, share float64) float64 {
	low, high := g.plot.X.Min, g.plot.X.Max
	if _, isLog := g.plot.X.Scale.(plot.LogScale); isLog {
		return value * math.Pow(high/low, share)
	}
	return value + (high-low)*share
}

// drawEstimates draws the connected means of a metric with their intervals, and beside them the runs. All marks
// are offset from their value by the given share of the axis.
func (g *chartBuilder) drawEstimates(points []sweepPoint, m metricInfo, l seriesStyle, share float64) *plotter.Line {
	var means plotter.XYs
	for _, p := range points {
		at := g.offsetOnAxis(p.position, share)
		g.drawRuns(p.runs, m, g.offsetOnAxis(at, markSpacing/2), l.color)
		if estimate, known := p.Metrics[string(m.name)]; known && estimate.N > 0 {
			means = append(means, plotter.XY{X: at, Y: estimate.Mean * m.displayScale()})
			g.drawInterval(p, m, at, l.color)
		}
	}
	mark := g.drawLine(means, l.lineStyle(thickLine))
	g.drawPoints(means, l.glyph, l.color, 2.6)
	return mark
}

// drawInterval draws the confidence interval of a point, if it has enough runs for one.
func (g *chartBuilder) drawInterval(p sweepPoint, m metricInfo, at float64, c color.NRGBA) {
	e := p.Metrics[string(m.name)]
	if e.Interval == nil {
		return
	}
	bars := &plotter.YErrorBars{
		XYs:      plotter.XYs{{X: at, Y: e.Mean * m.displayScale()}},
		YErrors:  plotter.YErrors{{Low: (e.Mean - max(g.logFloor, e.Interval.Low)) * m.displayScale(), High: (e.Interval.High - e.Mean) * m.displayScale()}},
		CapWidth: 6, LineStyle: draw.LineStyle{Color: c, Width: 1.1},
	}
	g.plot.Add(bars)
}

// drawRuns draws each run: valid ones faintly, invalid ones hollow, since they are not in the mean.
func (g *chartBuilder) drawRuns(runs []experiment.Run, m metricInfo, at float64, c color.NRGBA) {
	var in, out plotter.XYs
	for _, r := range runs {
		value, known := r.Metrics[string(m.name)]
		switch {
		case !known:
		case r.Verdict == experiment.RunValid:
			in = append(in, plotter.XY{X: at, Y: value * m.displayScale()})
		default:
			out = append(out, plotter.XY{X: at, Y: value * m.displayScale()})
		}
	}
	g.drawPoints(in, draw.CircleGlyph{}, withAlpha(c, 0x59), 2)
	g.drawPoints(out, draw.RingGlyph{}, c, 3.4)
}

func intervalCaption(e *experiment.Result) string {
	text := fmt.Sprintf("Means, with %s intervals of points that have %d valid runs; each run is a faint dot.",
		formatPercent(e.Confidence), statistics.MinRunsForInterval)
	if !slices.ContainsFunc(e.Points, hasInterval) {
		text = fmt.Sprintf("Means without intervals, which need %d valid runs of a point; each run is a faint dot.", statistics.MinRunsForInterval)
	}
	if slices.ContainsFunc(e.Runs, func(r experiment.Run) bool { return r.Verdict == experiment.RunInvalid }) {
		text += " Hollow dots are invalid runs, which are not in the means."
	}
	return text
}

func hasInterval(p experiment.Point) bool {
	return p.Metrics[string(v1alpha1.MetricThroughput)].Interval != nil
}

// throughputLatencyChart shows the path of a system in throughput and latency as its load grows.
func (s sweep) throughputLatencyChart(e *experiment.Result) Chart {
	latency, throughput := experimentMetric(e, string(v1alpha1.MetricLatencyP95)), experimentMetric(e, string(v1alpha1.MetricThroughput))
	g := newChartBuilder(
		sanitizeFileName("latency-by-throughput-"+s.parameter),
		"Latency by throughput",
		throughput.axisTitle(operationUnit(e)),
		latency.axisTitle(""),
	)
	g.setLatencyAxis(s.valueRange(latency))
	for i, l := range s.lines {
		var curve plotter.XYs
		var names []string
		for _, p := range l.points {
			x, y := p.Metrics[string(throughput.name)], p.Metrics[string(latency.name)]
			if x.N > 0 && y.N > 0 {
				curve = append(curve, plotter.XY{X: x.Mean, Y: y.Mean})
				names = append(names, parameterValue(p.Point, s.parameter))
			}
		}
		mark := g.drawLine(curve, seriesStyleAt(i).lineStyle(thickLine))
		g.drawPoints(curve, seriesStyleAt(i).glyph, seriesStyleAt(i).color, 2.6)
		g.plot.Add(pointLabels{curve, names})
		if l.name != "" && mark != nil {
			g.addLegendEntry(l.name, mark)
		}
	}
	g.plot.X.Min = 0
	g.plot.X.Max *= 1.04
	g.fitY()
	g.Caption = "Means; each point is labelled with its " + s.parameter + "."
	return g.Chart
}

// barCharts show a parameter with few or non-numeric values: a group for each value, a bar for each line.
func barCharts(e *experiment.Result, s sweep) []Chart {
	names := []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95, v1alpha1.MetricLatencyP99}
	if hasErrors(e) {
		names = append(names, v1alpha1.MetricErrorShare)
	}
	var charts []Chart
	for _, name := range names {
		if s.hasValues(name) {
			charts = append(charts, s.barChart(e, experimentMetric(e, string(name))))
		}
	}
	return charts
}

// groupWidth is the share of a value's space that its bars use.
const groupWidth = 0.72

func (s sweep) barChart(e *experiment.Result, m metricInfo) Chart {
	g := newChartBuilder(
		sanitizeFileName(string(m.name)+"-by-"+s.parameter),
		m.title+" by "+s.parameter,
		splitCamelCase(s.parameter),
		m.axisTitle(operationUnit(e)),
	)
	g.plot.X.Tick.Marker = nameTicks(s.values)
	g.plot.X.Min, g.plot.X.Max = -0.5, float64(len(s.values))-0.5
	width := groupWidth / float64(len(s.lines))
	for i, l := range s.lines {
		look := seriesStyleAt(i)
		drawn := barPlotter{color: withAlpha(look.color, 0xb3)}
		for _, p := range l.points {
			at := float64(slices.Index(s.positions, p.position)) - groupWidth/2 + (float64(i)+0.5)*width
			drawn.rects = append(drawn.rects, barRect{at - 0.45*width, at + 0.45*width, p.Metrics[string(m.name)].Mean * m.displayScale()})
		}
		g.plot.Add(drawn)
		for j, p := range l.points {
			at := (drawn.rects[j].from + drawn.rects[j].to) / 2
			g.drawRuns(p.runs, m, at, inkColor)
			g.drawInterval(p, m, at, inkColor)
		}
		if l.name != "" {
			g.addLegendEntry(l.name, drawn)
		}
	}
	g.startAtZero()
	g.Caption = intervalCaption(e)
	return g.Chart
}

// dropOverlappingLabels removes labels that would overlap others. norm maps a value to its position between the
// ends of the axis.
func (t fixedTicks) dropOverlappingLabels(norm func(float64) float64) fixedTicks {
	style := textStyle(fontSize, font.Font{}, faintColor)
	const room = chartWidth - 80
	var kept fixedTicks
	end := vg.Length(-1e6)
	for _, tick := range t {
		at, half := vg.Length(norm(tick.Value))*room, style.Width(tick.Label)/2
		if at-half < end+4 {
			tick.Label = ""
		} else {
			end = at + half
		}
		kept = append(kept, tick)
	}
	return kept
}
