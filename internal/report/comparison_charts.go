package report

import (
	"fmt"
	"math"
	"slices"

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
	for _, name := range sortedMetricNames(seen) {
		all = append(all, experimentMetric(e, name))
	}
	return all
}

// forestPlotChart shows differences with their intervals relative to zero and the gate.
func forestPlotChart(e *experiment.Result, m metricInfo, outcomes []experiment.ComparisonOutcome) Chart {
	better := "less is better"
	if m.name.IsHigherBetter() {
		better = "more is better"
	}
	var names []string
	points := pointsByName(e)
	for _, outcome := range outcomes {
		names = append(names, formatCandidate(outcome, points))
	}
	c := newRowsChart(sanitizeFileName("difference-"+string(m.name)), m.title+": difference from the baseline", "Difference (%), "+better, names)
	for i, outcome := range outcomes {
		c.addDifference(c.rowPosition(i), outcome)
	}
	c.addVerticalLine(0, "", style{Color: faintColor, Width: 1})
	c.addGates(m, outcomes)
	c.Caption = differenceCaption(e, outcomes)
	return c
}

func differenceCaption(e *experiment.Result, outcomes []experiment.ComparisonOutcome) string {
	if !slices.ContainsFunc(outcomes, func(c experiment.ComparisonOutcome) bool { return c.Interval != nil }) {
		return fmt.Sprintf("Differences with their extremes: a confidence interval needs %d runs on each side.", statistics.MinRunsForInterval)
	}
	return fmt.Sprintf("Differences with %s intervals, or the extremes of fewer than %d runs. An interval that contains zero shows no difference.",
		formatPercent(e.Confidence), statistics.MinRunsForInterval)
}

// addDifference adds one row of a forest plot: green is better, vermilion worse, gray not distinguishable.
func (c *Chart) addDifference(y float64, outcome experiment.ComparisonOutcome) {
	look := style{Color: faintColor, Shape: ring}
	switch outcome.Verdict {
	case v1alpha1.ComparisonBetter:
		look = style{Color: betterColor, Shape: circle}
	case v1alpha1.ComparisonWorse:
		look = style{Color: worseColor, Shape: square}
	}
	look.Width, look.Size = thickLine, 3.8
	bounds := outcome.Bounds()
	c.addMark(mark{Kind: lineMark, style: look, Points: []xy{{100 * bounds.Low, y}, {100 * bounds.High, y}}})
	c.addMark(mark{Kind: dotsMark, style: look, Points: []xy{{100 * outcome.Difference, y}}})
}

// addGates marks the bounds of the gates on the side of regressions.
func (c *Chart) addGates(m metricInfo, outcomes []experiment.ComparisonOutcome) {
	var bounds []float64
	for _, outcome := range outcomes {
		if outcome.Gate != "" && !slices.Contains(bounds, outcome.MaxRegression) {
			bounds = append(bounds, outcome.MaxRegression)
		}
	}
	for _, b := range bounds {
		at := 100 * b
		if m.name.IsHigherBetter() {
			at = -at
		}
		c.addVerticalLine(at, "gate "+formatNumber(math.Abs(at))+"%", style{Color: worseColor, Width: 1, Dashes: dashPattern})
	}
}

// formatCandidate names the candidate, the parameters of its point and the fault that is compared.
func formatCandidate(c experiment.ComparisonOutcome, points map[string]experiment.Point) string {
	p := points[c.Point]
	p.Variant = c.Candidate
	if c.Scope != "" {
		return formatPoint(p) + ", " + c.Scope
	}
	return formatPoint(p)
}

func truncateRunes(text string, length int) string {
	runes := []rune(text)
	if len(runes) <= length {
		return text
	}
	return string(runes[:length-1]) + "…"
}
