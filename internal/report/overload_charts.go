package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// rateField is the field of an axis that is the offered rate of an open loop.
const rateField = "workload.load.ratePerSecond"

// isOfferedRate reports whether the parameter is the offered rate of an open loop.
func isOfferedRate(e *experiment.Result, parameter string) bool {
	for _, a := range e.Axes {
		if a.Name == parameter {
			return a.Field == rateField
		}
	}
	return e.Strategy == string(v1alpha1.StrategySaturation) && latencyKind(e) == measurement.ResponseTime // A search's load is not an axis.
}

// offeredLineSteps is the number of segments of the line offered = achieved, which is a curve on a logarithmic
// axis.
const offeredLineSteps = 64

// drawOfferedRate draws the line on which the network achieves what it is offered.
func (g *chartBuilder) drawOfferedRate(s sweep) {
	low, high := s.positions[0], s.positions[len(s.positions)-1]
	_, isLog := g.plot.X.Scale.(plot.LogScale)
	var line plotter.XYs
	for i := range offeredLineSteps + 1 {
		share := float64(i) / offeredLineSteps
		x := low + (high-low)*share
		if isLog {
			x = low * math.Pow(high/low, share)
		}
		line = append(line, plotter.XY{X: x, Y: x})
	}
	g.addLegendEntry("offered = achieved", g.drawLine(line, hintLine))
}

// shadeOverload shades the rates from which on no line of the sweep kept up.
func (g *chartBuilder) shadeOverload(s sweep) {
	first := len(s.positions)
	for first > 0 && s.isOverloadedAt(s.positions[first-1]) {
		first--
	}
	if first == len(s.positions) {
		return
	}
	shade := shadedRange{from: g.plot.X.Min}
	if first > 0 {
		below, at := s.positions[first-1], s.positions[first]
		shade.from = (below + at) / 2
		if _, isLog := g.plot.X.Scale.(plot.LogScale); isLog {
			shade.from = math.Sqrt(below * at)
		}
	}
	g.plot.Add(shade)
	g.addLegendEntry("overload", shade)
}

// isOverloadedAt reports whether every point at a position fell short of the offered rate.
func (s sweep) isOverloadedAt(position float64) bool {
	found := false
	for _, l := range s.lines {
		for _, p := range l.points {
			if p.position == position && p.Overloaded == 0 {
				return false
			}
			found = found || p.position == position
		}
	}
	return found
}

// shadedRange shades a chart from a position to its right end.
type shadedRange struct{ from float64 }

// Plot implements plot.Plotter.
func (s shadedRange) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	c.FillPolygon(withAlpha(worseColor, 0x22), []vg.Point{
		{X: x(s.from), Y: c.Min.Y}, {X: x(s.from), Y: c.Max.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Min.Y},
	})
}

// Thumbnail implements plot.Thumbnailer.
func (s shadedRange) Thumbnail(c *draw.Canvas) {
	r := c.Rectangle
	c.FillPolygon(withAlpha(worseColor, 0x22), []vg.Point{r.Min, {X: r.Min.X, Y: r.Max.Y}, r.Max, {X: r.Max.X, Y: r.Min.Y}})
}

// valueRange returns the smallest and the largest value of metrics at the points of a sweep: single runs, means,
// and the upper ends of intervals. Without values it returns 0.
func (s sweep) valueRange(metrics ...metricInfo) (low, high float64) {
	var values []float64
	for _, l := range s.lines {
		for _, p := range l.points {
			for _, m := range metrics {
				for _, r := range p.runs {
					if v, known := r.Metrics[string(m.name)]; known {
						values = append(values, v)
					}
				}
				if e := p.Metrics[string(m.name)]; e.N > 0 {
					values = append(values, e.Mean, max(e.Mean, e.Bounds().High))
				}
			}
		}
	}
	if len(values) == 0 {
		return 0, 0
	}
	return slices.Min(values), slices.Max(values)
}

// setLatencyAxis makes the vertical axis of a latency logarithmic, so that the values before and after saturation
// are legible. If a value is not positive, the axis is linear. It must be called before intervals are drawn.
func (g *chartBuilder) setLatencyAxis(low, high float64) {
	if !(low > 0) || !isFinite(high) {
		return
	}
	g.useLogarithmicY()
	g.logFloor, g.logCeiling = 1/roundStep(1/low), roundStep(high)
	if g.logCeiling <= g.logFloor {
		g.logCeiling = 10 * g.logFloor
	}
}

// fitY ends the vertical axis at the limits of setLatencyAxis, or makes it start at zero.
func (g *chartBuilder) fitY() {
	if g.logFloor == 0 {
		g.startAtZero()
		return
	}
	g.plot.Y.Min, g.plot.Y.Max = g.logFloor, g.logCeiling
}
