package report

import (
	"math"
	"slices"

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

// addOfferedRate adds the line on which the network achieves what it is offered.
func (c *Chart) addOfferedRate(s sweep) {
	low, high := s.positions[0], s.positions[len(s.positions)-1]
	var line []xy
	for i := range offeredLineSteps + 1 {
		share := float64(i) / offeredLineSteps
		x := low + (high-low)*share
		if c.X.Log {
			x = low * math.Pow(high/low, share)
		}
		line = append(line, xy{x, x})
	}
	c.addMark(mark{Kind: lineMark, Legend: "offered = achieved", style: hintLine, Points: line})
}

// shadeOverload shades the rates from which on no line of the sweep kept up.
func (c *Chart) shadeOverload(s sweep) {
	first := len(s.positions)
	for first > 0 && s.isOverloadedAt(s.positions[first-1]) {
		first--
	}
	if first == len(s.positions) || c.X.Min == nil {
		return
	}
	from := *c.X.Min
	if first > 0 {
		below, at := s.positions[first-1], s.positions[first]
		from = (below + at) / 2
		if c.X.Log {
			from = math.Sqrt(below * at)
		}
	}
	c.addMark(mark{Kind: shadeMark, Legend: "overload", style: style{Color: worseColor, Opacity: 0.13}, Points: []xy{{X: from}}})
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
