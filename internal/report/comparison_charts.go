package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// comparisonCharts returns a forest plot for each metric, with one line for each candidate and point.
func comparisonCharts(e *experiment.Result) []Chart {
	var charts []Chart
	for _, m := range comparedMetrics(e) {
		var all []experiment.ComparisonOutcome
		for _, c := range e.Comparisons {
			if c.Metric == string(m.name) && c.Scale != statistics.Absolute && c.Candidates > 0 && c.Baselines > 0 {
				all = append(all, c)
			}
		}
		if len(all) > 0 {
			charts = append(charts, forestPlotChart(e, m, all))
		}
	}
	return charts
}

func comparedMetrics(e *experiment.Result) []metricInfo {
	seen := map[string]bool{}
	for _, c := range e.Comparisons {
		seen[c.Metric] = true
	}
	var all []metricInfo
	for _, name := range sortMetricNames(seen) {
		all = append(all, experimentMetric(e, name))
	}
	return all
}

const (
	forestRowHeight   vg.Length = 20
	forestFrameHeight vg.Length = 95
)

// forestPlotChart shows differences with their intervals relative to zero and the gate.
func forestPlotChart(e *experiment.Result, m metricInfo, outcomes []experiment.ComparisonOutcome) Chart {
	better := "more is better"
	if m.better == lowerIsBetter {
		better = "less is better"
	}
	g := newChartBuilder(sanitizeFileName("difference-"+string(m.name)), m.title+": difference from the baseline", "Difference (%), "+better, "")
	g.height = forestFrameHeight + forestRowHeight*vg.Length(len(outcomes))
	var names []string
	points := pointsByName(e)
	for i := range outcomes {
		c := outcomes[len(outcomes)-1-i] // The first one is at the top.
		names = append(names, truncateRunes(formatCandidate(c, points), 34))
		g.drawDifference(float64(i), c)
	}
	g.plot.Y.Tick.Marker = nameTicks(names)
	g.plot.Y.Min, g.plot.Y.Max = -0.5, float64(len(outcomes))-0.5
	g.drawVerticalLine(0, "", draw.LineStyle{Color: faintColor, Width: 1})
	g.drawGates(m, outcomes)
	room := 0.06 * (g.plot.X.Max - g.plot.X.Min)
	g.plot.X.Min, g.plot.X.Max = g.plot.X.Min-room, g.plot.X.Max+room
	g.Caption = differenceCaption(e, outcomes)
	return g.Chart
}

func differenceCaption(e *experiment.Result, outcomes []experiment.ComparisonOutcome) string {
	if !slices.ContainsFunc(outcomes, func(c experiment.ComparisonOutcome) bool { return c.Interval != nil }) {
		return fmt.Sprintf("Differences with their extremes: a confidence interval needs %d runs on each side.", statistics.MinRunsForInterval)
	}
	return fmt.Sprintf("Differences with %s intervals, or the extremes of fewer than %d runs. An interval that contains zero shows no difference.",
		formatPercent(e.Confidence), statistics.MinRunsForInterval)
}

// drawDifference draws one line of a forest plot: green is better, vermillion worse, grey not distinguishable.
func (g *chartBuilder) drawDifference(y float64, c experiment.ComparisonOutcome) {
	look := map[v1alpha1.ComparisonVerdict]seriesStyle{
		v1alpha1.ComparisonBetter: {color: betterColor, glyph: draw.CircleGlyph{}}, v1alpha1.ComparisonWorse: {color: worseColor, glyph: draw.BoxGlyph{}},
	}[c.Verdict]
	if look.glyph == nil {
		look.color, look.glyph = faintColor, draw.RingGlyph{}
	}
	bounds := c.Bounds()
	g.drawLine(plotter.XYs{{X: 100 * bounds.Low, Y: y}, {X: 100 * bounds.High, Y: y}}, draw.LineStyle{Color: look.color, Width: thickLine})
	g.drawPoints(plotter.XYs{{X: 100 * c.Difference, Y: y}}, look.glyph, look.color, 3.2)
}

// drawGates marks the bounds of the gates on the side of regressions.
func (g *chartBuilder) drawGates(m metricInfo, outcomes []experiment.ComparisonOutcome) {
	var bounds []float64
	for _, c := range outcomes {
		if c.Gate != "" && !slices.Contains(bounds, c.MaxRegression) {
			bounds = append(bounds, c.MaxRegression)
		}
	}
	for _, b := range bounds {
		at := 100 * b
		if m.better == higherIsBetter {
			at = -at
		}
		g.drawVerticalLine(at, "gate "+formatNumber(math.Abs(at))+"%", draw.LineStyle{Color: worseColor, Width: 1, Dashes: dashPattern})
	}
}

// formatCandidate names the candidate and the parameters of its point.
func formatCandidate(c experiment.ComparisonOutcome, points map[string]experiment.Point) string {
	p := points[c.Point]
	p.Variant = c.Candidate
	return formatPoint(p)
}

func truncateRunes(text string, length int) string {
	runes := []rune(text)
	if len(runes) <= length {
		return text
	}
	return string(runes[:length-1]) + "…"
}
