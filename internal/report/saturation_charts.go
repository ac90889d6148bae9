package report

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg/draw"

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
		of := ""
		if len(e.Saturation) > 1 {
			of = ": " + found.Name
		}
		rate := experimentMetric(e, string(v1alpha1.MetricThroughput))
		level := serviceLevelMetric(e)
		throughput := s.newChartBuilder(fmt.Sprintf("saturation-%d-throughput", i+1), "Throughput by load"+of, rate.axisTitle(operationUnit(e)))
		latency := s.newChartBuilder(fmt.Sprintf("saturation-%d-latency", i+1), level.title+" by load"+of, level.axisTitle(""))
		if isOfferedRate(e, s.parameter) {
			throughput.shadeOverload(s)
			throughput.drawOfferedRate(s)
			latency.shadeOverload(s)
		}
		throughput.drawEstimates(s.lines[0].points, rate, seriesStyleAt(0), 0)
		throughput.drawSearchResult(found)
		low, high := s.valueRange(level)
		if e.ServiceLevel != nil {
			low, high = min(low, e.ServiceLevel.LatencyMillis), max(high, e.ServiceLevel.LatencyMillis)
		}
		latency.setLatencyAxis(low, high)
		latency.drawEstimates(s.lines[0].points, level, seriesStyleAt(0), 0)
		if e.ServiceLevel != nil {
			latency.drawHorizontalLine(e.ServiceLevel.LatencyMillis, "service level "+formatNumber(e.ServiceLevel.LatencyMillis)+" ms", leftEnd,
				draw.LineStyle{Color: worseColor, Width: 1.1, Dashes: dashPattern})
		}
		latency.drawSearchResult(found)
		for _, g := range []*chartBuilder{throughput, latency} {
			g.fitY()
			g.Caption = intervalCaption(e)
			charts = append(charts, g.Chart)
		}
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

// drawSearchResult marks the highest load that met the service level, and the knee. They may be the same.
func (g *chartBuilder) drawSearchResult(s experiment.Saturation) {
	if s.Load > 0 {
		g.drawVerticalLine(float64(s.Load), "holds to "+strconv.FormatInt(s.Load, 10), draw.LineStyle{Color: betterColor, Width: 1.1})
	}
	if s.Knee > 0 && s.Knee != s.Load {
		g.drawVerticalLine(float64(s.Knee), "knee "+strconv.FormatInt(s.Knee, 10), draw.LineStyle{Color: faintColor, Width: 1, Dashes: dashPattern})
	}
}
