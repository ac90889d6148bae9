package report

import (
	"fmt"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// saturationCharts show, for each search, throughput and the bounded latency against the load, with the result.
func saturationCharts(e *experiment.Result) []Chart {
	var charts []Chart
	for i, found := range e.Saturation {
		s := searchSweep(e, found)
		if len(s.values) == 0 {
			continue
		}
		s.lines[0].name = "" // It is the only one, also of a variant.
		of := ""
		if len(e.Saturation) > 1 {
			of = ": " + found.Name
		}
		level := serviceLevelMetric(e)
		throughput := s.metricChart(e, experimentMetric(e, string(v1alpha1.MetricThroughput)), fmt.Sprintf("saturation-%d-throughput", i+1),
			"Throughput by load"+of)
		throughput.addSearchResult(found)
		latency := s.metricChart(e, level, fmt.Sprintf("saturation-%d-latency", i+1), level.title+" by load"+of)
		if e.ServiceLevel != nil {
			low, high := s.valueRange(level)
			latency.useLatencyAxis(min(low, e.ServiceLevel.LatencyMillis), max(high, e.ServiceLevel.LatencyMillis))
			latency.addMark(mark{Kind: horizontalMark, style: style{Color: worseColor, Width: 1.2, Dashes: dashPattern}, AtStart: true,
				Points: []xy{{Y: e.ServiceLevel.LatencyMillis}}, Texts: []string{"service level " + formatNumber(e.ServiceLevel.LatencyMillis) + " ms"}})
		}
		latency.addSearchResult(found)
		charts = append(charts, throughput, latency)
	}
	return charts
}

// serviceLevelMetric returns the bounded metric; p95 if the document does not name it.
func serviceLevelMetric(e *experiment.Result) metricInfo {
	if e.ServiceLevel == nil {
		return experimentMetric(e, string(v1alpha1.MetricLatencyP95))
	}
	return experimentMetric(e, e.ServiceLevel.Metric)
}

// searchSweep returns the loads of only one search.
func searchSweep(e *experiment.Result, found experiment.Saturation) sweep {
	own := *e
	own.Points = slices.DeleteFunc(slices.Clone(e.Points), func(p experiment.Point) bool { return !slices.Contains(found.Points, p.Name) })
	if len(own.Points) == 0 || len(own.Points[0].Parameters) == 0 {
		return sweep{}
	}
	load := own.Points[0].Parameters[len(own.Points[0].Parameters)-1].Name
	return sweepParameter(&own, load)
}

// addSearchResult marks the highest load that met the service level, and the knee. They may be the same.
func (c *Chart) addSearchResult(s experiment.Saturation) {
	if s.Load > 0 {
		c.addVerticalLine(s.Load, "holds to "+formatLoad(s.Load), style{Color: betterColor, Width: 1.2})
	}
	if s.Knee > 0 && s.Knee != s.Load {
		c.addVerticalLine(s.Knee, "knee "+formatLoad(s.Knee), hintLine)
	}
}
