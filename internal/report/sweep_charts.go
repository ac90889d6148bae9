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
)

// Verdicts of a run in an experiment.
const (
	valid   = "Valid"
	invalid = "Invalid"
)

// minCurve is how many values a curve has at least; fewer are shown as bars.
const minCurve = 3

// sweepCharts show throughput and latency along a parameter, with intervals and every single run.
func sweepCharts(e *experiment.Result, s sweep) []Chart {
	if !s.numeric || len(s.values) < minCurve {
		return barCharts(e, s)
	}
	charts := []Chart{s.curves(e, metricOf(e, string(v1alpha1.MetricThroughput)))}
	if len(s.lines) == 1 {
		charts = append(charts, s.latencies(e))
	} else {
		for _, m := range []v1alpha1.Metric{v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95, v1alpha1.MetricLatencyP99} {
			charts = append(charts, s.curves(e, metricOf(e, string(m))))
		}
	}
	if anyErrors(e) {
		charts = append(charts, s.curves(e, metricOf(e, string(v1alpha1.MetricErrorShare))))
	}
	if isLoad(e, s.parameter) {
		charts = append(charts, s.throughputLatency(e))
	}
	return charts
}

// isLoad tells whether the parameter is how much is asked of the network.
func isLoad(e *experiment.Result, name string) bool {
	for _, a := range e.Axes {
		if a.Name == name {
			return strings.HasPrefix(a.Field, "workload.load.")
		}
	}
	return true // Only a search adds a parameter that is no axis: its load.
}

func anyErrors(e *experiment.Result) bool {
	return slices.ContainsFunc(e.Runs, func(r experiment.Run) bool { return r.Metrics[string(v1alpha1.MetricErrorShare)] > 0 })
}

// newGraph has the values of the parameter on its horizontal axis.
func (s sweep) newGraph(e *experiment.Result, name, title, y string) *graph {
	g := newGraph(fileName(name+"-by-"+s.parameter), title, s.label(e), y)
	ticks := fixedTicks{}
	for i, v := range s.values {
		ticks = append(ticks, valueTicks([]float64{s.positions[i]})...)
		ticks[i].Label = plain(v)
	}
	low, high := s.positions[0], s.positions[len(s.positions)-1]
	g.plot.X.Min, g.plot.X.Max = low, high
	wide := low > 0 && high/low >= 16
	if wide {
		g.logarithmicX(ticks)
	}
	g.plot.X.Tick.Marker = ticks.spread(g.plot.X.Norm)
	g.plot.X.Min, g.plot.X.Max = g.beside(low, -step*float64(len(s.lines)+1)/2), g.beside(high, step*float64(len(s.lines)+1)/2)
	g.plot.X.Padding = 8
	return g
}

// label of the horizontal axis; a search's load is clients or a rate.
func (s sweep) label(e *experiment.Result) string {
	for _, a := range e.Axes {
		if a.Name == s.parameter {
			return words(s.parameter)
		}
	}
	return words(s.parameter)
}

func (s sweep) curves(e *experiment.Result, m metric) Chart {
	g := s.newGraph(e, string(m.name), m.title+" by "+s.parameter, m.axis(unit(e)))
	for i, l := range s.lines {
		mark := g.estimates(l.points, m, lookOf(i), dodge(i, len(s.lines)))
		if l.name != "" && mark != nil {
			g.explain(l.name, mark)
		}
	}
	g.fromZero()
	g.Caption = intervalCaption(e)
	return g.Chart
}

// latencies of the only line, by percentile.
func (s sweep) latencies(e *experiment.Result) Chart {
	title := latencyName(unit(e))
	g := s.newGraph(e, "latency", title+" by "+s.parameter, title+" (ms)")
	for i, m := range []v1alpha1.Metric{v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95, v1alpha1.MetricLatencyP99} {
		if mark := g.estimates(s.lines[0].points, metricOf(e, string(m)), lookOf(i), 0); mark != nil {
			g.explain(strings.ToLower(strings.TrimPrefix(string(m), "Latency")), mark)
		}
	}
	g.fromZero()
	g.Caption = intervalCaption(e)
	return g.Chart
}

// step is how far apart, as a share of the axis, marks stand that would lie on each other.
const step = 0.014

// dodge is how far the marks of a line stand from their value, so that the intervals of several lines are seen.
func dodge(line, of int) float64 { return step * (float64(line) - float64(of-1)/2) }

// beside is the place at a share of the axis from a value; a logarithmic axis multiplies.
func (g *graph) beside(value, share float64) float64 {
	low, high := g.plot.X.Min, g.plot.X.Max
	if _, isLog := g.plot.X.Scale.(plot.LogScale); isLog {
		return value * math.Pow(high/low, share)
	}
	return value + (high-low)*share
}

// estimates draws the means of a metric with their intervals, connected, and beside them the runs that they come from. All stands
// the given share of the axis from its value.
func (g *graph) estimates(points []sweepPoint, m metric, l look, share float64) *plotter.Line {
	var means plotter.XYs
	for _, p := range points {
		at := g.beside(p.at, share)
		g.runs(p.runs, m, g.beside(at, step/2), l.color)
		if estimate, known := p.Metrics[string(m.name)]; known && estimate.N > 0 {
			means = append(means, plotter.XY{X: at, Y: estimate.Mean * m.scale()})
			g.interval(p, m, at, l.color)
		}
	}
	mark := g.line(means, l.line(thickLine))
	g.points(means, l.glyph, l.color, 2.6)
	return mark
}

// interval draws that of a point with at least two valid runs.
func (g *graph) interval(p sweepPoint, m metric, at float64, c color.NRGBA) {
	e := p.Metrics[string(m.name)]
	if e.N < 2 {
		return
	}
	bars := &plotter.YErrorBars{
		XYs:      plotter.XYs{{X: at, Y: e.Mean * m.scale()}},
		YErrors:  plotter.YErrors{{Low: (e.Mean - max(0, e.Low)) * m.scale(), High: (e.High - e.Mean) * m.scale()}},
		CapWidth: 6, LineStyle: draw.LineStyle{Color: c, Width: 1.1},
	}
	g.plot.Add(bars)
}

// runs draws each run: valid ones faintly, invalid ones hollow, since they are not in the mean.
func (g *graph) runs(runs []experiment.Run, m metric, at float64, c color.NRGBA) {
	var in, out plotter.XYs
	for _, r := range runs {
		value, known := r.Metrics[string(m.name)]
		switch {
		case !known:
		case r.Verdict == valid:
			in = append(in, plotter.XY{X: at, Y: value * m.scale()})
		default:
			out = append(out, plotter.XY{X: at, Y: value * m.scale()})
		}
	}
	g.points(in, draw.CircleGlyph{}, withAlpha(c, 0x59), 2)
	g.points(out, draw.RingGlyph{}, c, 3.4)
}

func intervalCaption(e *experiment.Result) string {
	text := fmt.Sprintf("Means with %s intervals; each run is a faint dot.", percent(e.Confidence))
	if slices.ContainsFunc(e.Runs, func(r experiment.Run) bool { return r.Verdict == invalid }) {
		text += " Hollow dots are invalid runs, which are not in the means."
	}
	return text
}

// throughputLatency is the curve that a system goes along as its load grows.
func (s sweep) throughputLatency(e *experiment.Result) Chart {
	latency, throughput := metricOf(e, string(v1alpha1.MetricLatencyP95)), metricOf(e, string(v1alpha1.MetricThroughput))
	g := newGraph(fileName("latency-by-throughput-"+s.parameter), "Latency by throughput", throughput.axis(unit(e)), latency.axis(""))
	for i, l := range s.lines {
		var curve plotter.XYs
		var names []string
		for _, p := range l.points {
			x, y := p.Metrics[string(throughput.name)], p.Metrics[string(latency.name)]
			if x.N > 0 && y.N > 0 {
				curve = append(curve, plotter.XY{X: x.Mean, Y: y.Mean})
				names = append(names, parameter(p.Point, s.parameter))
			}
		}
		mark := g.line(curve, lookOf(i).line(thickLine))
		g.points(curve, lookOf(i).glyph, lookOf(i).color, 2.6)
		g.plot.Add(labels{curve, names})
		if l.name != "" && mark != nil {
			g.explain(l.name, mark)
		}
	}
	g.plot.X.Min = 0
	g.plot.X.Max *= 1.04
	g.fromZero()
	g.Caption = "Means; each point is labelled with its " + s.parameter + "."
	return g.Chart
}

// barCharts show a parameter of few values or of names: a group for each value, a bar for each line.
func barCharts(e *experiment.Result, s sweep) []Chart {
	names := []v1alpha1.Metric{v1alpha1.MetricThroughput, v1alpha1.MetricLatencyP50, v1alpha1.MetricLatencyP95, v1alpha1.MetricLatencyP99}
	if anyErrors(e) {
		names = append(names, v1alpha1.MetricErrorShare)
	}
	var charts []Chart
	for _, name := range names {
		charts = append(charts, s.bars(e, metricOf(e, string(name))))
	}
	return charts
}

// groupWidth is the share of the room of a value that its bars take.
const groupWidth = 0.72

func (s sweep) bars(e *experiment.Result, m metric) Chart {
	g := newGraph(fileName(string(m.name)+"-by-"+s.parameter), m.title+" by "+s.parameter, words(s.parameter), m.axis(unit(e)))
	g.plot.X.Tick.Marker = nameTicks(s.values)
	g.plot.X.Min, g.plot.X.Max = -0.5, float64(len(s.values))-0.5
	width := groupWidth / float64(len(s.lines))
	for i, l := range s.lines {
		look := lookOf(i)
		drawn := bars{color: withAlpha(look.color, 0xb3)}
		for _, p := range l.points {
			at := float64(slices.Index(s.positions, p.at)) - groupWidth/2 + (float64(i)+0.5)*width
			drawn.boxes = append(drawn.boxes, box{at - 0.45*width, at + 0.45*width, p.Metrics[string(m.name)].Mean * m.scale()})
		}
		g.plot.Add(drawn)
		for j, p := range l.points {
			at := (drawn.boxes[j].from + drawn.boxes[j].to) / 2
			g.runs(p.runs, m, at, ink)
			g.interval(p, m, at, ink)
		}
		if l.name != "" {
			g.explain(l.name, drawn)
		}
	}
	g.fromZero()
	g.Caption = intervalCaption(e)
	return g.Chart
}

// spread leaves out labels that would lie on others; norm is where a value lies between the ends of the axis.
func (t fixedTicks) spread(norm func(float64) float64) fixedTicks {
	style := textStyle(fontSize, font.Font{}, faint)
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
