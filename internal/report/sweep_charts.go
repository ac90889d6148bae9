package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	charts := []Chart{s.metricOverParameter(e, v1alpha1.MetricThroughput)}
	if len(s.lines) == 1 {
		charts = append(charts, s.latencyChart(e))
	} else {
		for _, m := range timeMetrics(e) {
			if s.hasValues(m) {
				charts = append(charts, s.metricOverParameter(e, m))
			}
		}
	}
	if hasErrors(e) {
		charts = append(charts, s.metricOverParameter(e, v1alpha1.MetricErrorShare))
	}
	if isLoadParameter(e, s.parameter) {
		charts = append(charts, s.throughputLatencyChart(e))
	}
	return charts
}

// timeMetrics returns the metrics of times that have charts. Finality has some where it is not the latency of one kind of operation:
// for blocks, and to compare platforms with different operations.
func timeMetrics(e *experiment.Result) []v1alpha1.Metric {
	all := []v1alpha1.Metric{v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95, v1alpha1.MetricLatencyP99}
	unit := operationUnit(e)
	if unit == "blocks" || slices.ContainsFunc(e.Points, func(p experiment.Point) bool { return p.Unit != "" && p.Unit != unit }) {
		all = append(all, v1alpha1.MetricFinalityP50, v1alpha1.MetricFinalityP95)
	}
	return all
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

// newChart returns a chart with the values of the parameter on its horizontal axis.
func (s sweep) newChart(name, title, y string) Chart {
	c := newChart(sanitizeFileName(name+"-by-"+s.parameter), title, splitCamelCase(s.parameter), y)
	for i, v := range s.values {
		c.X.Ticks = append(c.X.Ticks, tick{s.positions[i], dropUnprintable(v)})
	}
	low, high := s.positions[0], s.positions[len(s.positions)-1]
	c.X.Log = low > 0 && high/low >= 16
	c.X.Min, c.X.Max = finitePointer(low), finitePointer(high)
	room := markSpacing * float64(len(s.lines)+1)
	c.X.Min, c.X.Max = finitePointer(c.offsetOnAxis(low, -room)), finitePointer(c.offsetOnAxis(high, room))
	return c
}

func (s sweep) metricOverParameter(e *experiment.Result, metric v1alpha1.Metric) Chart {
	m := experimentMetric(e, string(metric))
	return s.metricChart(e, m, string(metric), m.title+" by "+s.parameter)
}

// metricChart shows a metric of each line along the parameter.
func (s sweep) metricChart(e *experiment.Result, m metricInfo, name, title string) Chart {
	c := s.newChart(name, title, m.axisTitle(operationUnit(e)))
	if isOfferedRate(e, s.parameter) {
		c.shadeOverload(s)
		if m.name == v1alpha1.MetricThroughput {
			c.addOfferedRate(s)
		}
	}
	if m.isLatency() {
		c.useLatencyAxis(s.valueRange(m))
	}
	for i, l := range s.lines {
		c.addEstimates(l.points, m, l.name, seriesStyleAt(i), markOffset(i, len(s.lines)))
	}
	c.Caption = intervalCaption(e)
	return c
}

// latencyChart shows the percentiles of the only line.
func (s sweep) latencyChart(e *experiment.Result) Chart {
	title := latencyTitle(operationUnit(e), latencyKind(e))
	c := s.newChart("latency", title+" by "+s.parameter, title+" (ms)")
	if isOfferedRate(e, s.parameter) {
		c.shadeOverload(s)
	}
	var metrics []metricInfo
	for _, m := range []v1alpha1.Metric{v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95, v1alpha1.MetricLatencyP99} {
		metrics = append(metrics, experimentMetric(e, string(m)))
	}
	c.useLatencyAxis(s.valueRange(metrics...))
	for i, m := range metrics {
		c.addEstimates(s.lines[0].points, m, strings.ToLower(strings.TrimPrefix(string(m.name), "Latency")), seriesStyleAt(i), 0)
	}
	c.Caption = intervalCaption(e)
	return c
}

// markSpacing is the distance, as a share of the axis, between marks that would overlap.
const markSpacing = 0.014

// markOffset returns the distance of a line's marks from their value, so that the intervals of several lines
// are visible.
func markOffset(line, of int) float64 { return markSpacing * (float64(line) - float64(of-1)/2) }

// offsetOnAxis returns the position at a share of the horizontal axis from a value. A logarithmic axis multiplies.
func (c *Chart) offsetOnAxis(value, share float64) float64 {
	if c.X.Min == nil || c.X.Max == nil {
		return value
	}
	if c.X.Log {
		return value * math.Pow(*c.X.Max / *c.X.Min, share)
	}
	return value + (*c.X.Max-*c.X.Min)*share
}

// addEstimates adds the connected means of a metric with their intervals, and beside them the runs. All marks
// are offset from their value by the given share of the axis.
func (c *Chart) addEstimates(points []sweepPoint, m metricInfo, legend string, s style, share float64) {
	var means []xy
	for _, p := range points {
		at := c.offsetOnAxis(p.position, share)
		c.addRuns(p.runs, m, c.offsetOnAxis(at, markSpacing/2), s.Color)
		if estimate, known := p.Metrics[string(m.name)]; known && estimate.N > 0 {
			means = append(means, xy{at, estimate.Mean * m.displayScale()})
			c.addInterval(p, m, at, s.Color)
		}
	}
	c.addMark(mark{Kind: lineMark, Legend: legend, style: s, Points: means})
	c.addMark(mark{Kind: dotsMark, style: s, Points: means})
}

// addInterval adds the confidence interval of a point, if it has enough runs for one.
func (c *Chart) addInterval(p sweepPoint, m metricInfo, at float64, color string) {
	if e := p.Metrics[string(m.name)]; e.Interval != nil {
		c.addMark(mark{Kind: intervalsMark, style: style{Color: color, Width: 1.2},
			Points: []xy{{at, e.Interval.Low * m.displayScale()}, {at, e.Interval.High * m.displayScale()}}})
	}
}

// addRuns adds each run: valid ones faintly, invalid ones hollow, since they are not in the mean.
func (c *Chart) addRuns(runs []experiment.Run, m metricInfo, at float64, color string) {
	in := mark{Kind: dotsMark, style: style{Color: color, Opacity: 0.35, Shape: circle, Size: 2.2}}
	out := mark{Kind: dotsMark, style: style{Color: color, Shape: ring, Size: 3.6}}
	for _, r := range runs {
		value, known := r.Metrics[string(m.name)]
		switch {
		case !known:
		case r.Verdict == experiment.RunValid:
			in.Points = append(in.Points, xy{at, value * m.displayScale()})
		default:
			out.Points = append(out.Points, xy{at, value * m.displayScale()})
		}
	}
	c.addMark(in)
	c.addMark(out)
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
	c := newChart(sanitizeFileName("latency-by-throughput-"+s.parameter), "Latency by throughput", throughput.axisTitle(operationUnit(e)), latency.axisTitle(""))
	c.X.Min = finitePointer(0)
	c.useLatencyAxis(s.valueRange(latency))
	for i, l := range s.lines {
		curve := mark{Kind: lineMark, Legend: l.name, style: seriesStyleAt(i)}
		for _, p := range l.points {
			x, y := p.Metrics[string(throughput.name)], p.Metrics[string(latency.name)]
			if x.N > 0 && y.N > 0 {
				curve.Points = append(curve.Points, xy{x.Mean, y.Mean})
				curve.Texts = append(curve.Texts, p.Value(s.parameter))
			}
		}
		c.addMark(curve)
		c.addMark(mark{Kind: dotsMark, style: curve.style, Points: curve.Points})
		c.addMark(mark{Kind: textsMark, style: style{Color: faintColor}, Points: curve.Points, Texts: curve.Texts})
	}
	c.Caption = "Means; each point is labeled with its " + s.parameter + "."
	return c
}

// barCharts show a parameter with few or non-numeric values: a group for each value, a bar for each line.
func barCharts(e *experiment.Result, s sweep) []Chart {
	names := append([]v1alpha1.Metric{v1alpha1.MetricThroughput}, timeMetrics(e)...)
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
	c := newChart(sanitizeFileName(string(m.name)+"-by-"+s.parameter), m.title+" by "+s.parameter, splitCamelCase(s.parameter), m.axisTitle(operationUnit(e)))
	for i, v := range s.values {
		c.X.Ticks = append(c.X.Ticks, tick{float64(i), dropUnprintable(v)})
	}
	c.X.Min, c.X.Max = finitePointer(-0.5), finitePointer(float64(len(s.values))-0.5)
	width := groupWidth / float64(len(s.lines))
	for i, l := range s.lines {
		bars := mark{Kind: boxesMark, Legend: l.name, style: style{Color: seriesStyleAt(i).Color, Opacity: 0.7}}
		center := func(p sweepPoint) float64 {
			return float64(slices.Index(s.positions, p.position)) - groupWidth/2 + (float64(i)+0.5)*width
		}
		for _, p := range l.points {
			bars.Points = append(bars.Points, xy{center(p) - 0.45*width, 0}, xy{center(p) + 0.45*width, p.Metrics[string(m.name)].Mean * m.displayScale()})
		}
		c.addMark(bars)
		for _, p := range l.points {
			c.addRuns(p.runs, m, center(p), inkColor)
			c.addInterval(p, m, center(p), inkColor)
		}
	}
	c.Caption = intervalCaption(e)
	return c
}
