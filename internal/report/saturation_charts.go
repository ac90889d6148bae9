package report

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// saturationCharts show, for each search, throughput and the bounded latency against the load, with what was found.
func saturationCharts(e *experiment.Result) []Chart {
	var charts []Chart
	for i, found := range e.Saturation {
		s := searchSweep(e, found)
		if len(s.values) == 0 {
			continue
		}
		of := ""
		if len(e.Saturation) > 1 {
			of = ": " + found.Name
		}
		rate := metricOf(e, string(v1alpha1.MetricThroughput))
		throughput := s.newGraph(e, fmt.Sprintf("saturation-%d-throughput", i+1), "Throughput by load"+of, rate.axis(unit(e)))
		throughput.estimates(s.lines[0].points, rate, lookOf(0), 0)
		throughput.found(found)
		level := serviceLevel(e)
		latency := s.newGraph(e, fmt.Sprintf("saturation-%d-latency", i+1), level.title+" by load"+of, level.axis(""))
		latency.estimates(s.lines[0].points, level, lookOf(0), 0)
		if e.ServiceLevel != nil {
			latency.level(e.ServiceLevel.LatencyMillis, "service level "+number(e.ServiceLevel.LatencyMillis)+" ms", leftEnd,
				draw.LineStyle{Color: bad, Width: 1.1, Dashes: dashed})
		}
		latency.found(found)
		for _, g := range []*graph{throughput, latency} {
			g.fromZero()
			g.Caption = intervalCaption(e)
			charts = append(charts, g.Chart)
		}
	}
	return charts
}

// serviceLevel is the metric that was bounded; p95 in a document that does not say.
func serviceLevel(e *experiment.Result) metric {
	if e.ServiceLevel == nil {
		return metricOf(e, string(v1alpha1.MetricLatencyP95))
	}
	return metricOf(e, e.ServiceLevel.Metric)
}

// searchSweep is the loads of one search alone.
func searchSweep(e *experiment.Result, found experiment.Saturation) sweep {
	own := *e
	own.Points = slices.DeleteFunc(slices.Clone(e.Points), func(p experiment.Point) bool { return !slices.Contains(found.Points, p.Name) })
	if len(own.Points) == 0 || len(own.Points[0].Parameters) == 0 {
		return sweep{}
	}
	load := own.Points[0].Parameters[len(own.Points[0].Parameters)-1].Name
	return along(&own, load)
}

// found marks the highest load that met the service level, and the knee. They may be the same.
func (g *graph) found(s experiment.Saturation) {
	if s.Load > 0 {
		g.upright(float64(s.Load), "holds to "+strconv.FormatInt(s.Load, 10), draw.LineStyle{Color: good, Width: 1.1})
	}
	if s.Knee > 0 && s.Knee != s.Load {
		g.upright(float64(s.Knee), "knee "+strconv.FormatInt(s.Knee, 10), draw.LineStyle{Color: faint, Width: 1, Dashes: dashed})
	}
}
