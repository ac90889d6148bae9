package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// WriteExperimentPage writes the report of an experiment as a self-contained HTML page. runs maps names to the
// results of runs, and may lack some of them. The links are below the title.
func WriteExperimentPage(w io.Writer, e *experiment.Result, runs map[string]*document.RunResult, links ...Link) error {
	var sections []section
	for _, group := range chartGroups(e) {
		sections = append(sections, section{ID: group.id, Title: group.title, Figures: group.charts})
	}
	p := pageData{
		Kind: "Experiment", Title: e.Experiment.Name, Subtitle: experimentSubtitle(e),
		Summary: summarizeExperiment(e), Banner: experimentBanner(e), Keys: experimentKeyFigures(e), Links: links,
		Sections: append(sections,
			section{ID: "searches", Title: "Searches", Tables: withRows(saturationTable(e))},
			section{ID: "comparisons", Title: "Comparisons", Tables: withRows(comparisonTable(e))},
			section{ID: "objectives", Title: "Objectives", Tables: withRows(pointObjectivesTable(e))},
			section{ID: "segments", Title: "Segments", Tables: withRows(pointSegmentsTable(e))},
			faultTimesSection(e),
			section{ID: "points", Title: "Points", Tables: []htmlTable{pointsTable(e)}},
			section{ID: "runs", Title: "Runs", Text: runsText(e), Tables: []htmlTable{runsTable(e)}},
			networksSection(e, runs),
			reproduceExperimentSection(e, runs),
		),
		Data: e,
	}
	return p.renderTo(w)
}

// chartGroup is a group of charts that answer one question.
type chartGroup struct {
	id, title string
	charts    []Chart
}

func chartGroups(e *experiment.Result) []chartGroup {
	var groups []chartGroup
	if len(e.Saturation) > 0 {
		groups = append(groups, chartGroup{id: "saturation", title: "Saturation", charts: saturationCharts(e)})
	}
	if len(e.Comparisons) > 0 {
		groups = append(groups, chartGroup{id: "comparison", title: "Comparison", charts: comparisonCharts(e)})
	}
	for _, s := range findSweeps(e) {
		if len(e.Saturation) == 1 && isLoadParameter(e, s.parameter) {
			// The search has charts of its own, with the same points.
			groups[0].charts = append(groups[0].charts, s.throughputLatencyChart(e))
			continue
		}
		groups = append(groups, chartGroup{id: "by-" + sanitizeFileName(s.parameter), title: "By " + s.parameter, charts: sweepCharts(e, s)})
	}
	return groups
}

func experimentSubtitle(e *experiment.Result) string {
	return strings.Join([]string{e.Experiment.Namespace, "strategy " + e.Strategy, "order " + e.Order, formatTime(e.Start)}, " · ")
}

func pointsTable(e *experiment.Result) htmlTable {
	names := pointMetricNames(e.Points)
	t := htmlTable{Header: slices.Concat(textColumns("Point"), variantColumns(e), textColumns(parameterNames(e)...), numberColumns("Valid", "Invalid", "Failed"))}
	for _, name := range names {
		t.Header = append(t.Header, numberColumns(withUnit(experimentMetric(e, name).title, experimentMetric(e, name).displayUnit()))...)
	}
	bottlenecks := slices.ContainsFunc(e.Points, func(p experiment.Point) bool { return p.Bottleneck != "" })
	if bottlenecks {
		t.Header = append(t.Header, textColumns("Bottleneck")...)
	}
	for _, p := range e.Points {
		cells := slices.Concat([]string{p.Name}, variantCells(e, p), parameterValues(e, p),
			[]string{strconv.Itoa(p.Valid), strconv.Itoa(p.Invalid), strconv.Itoa(p.Failed)})
		for _, name := range names {
			cells = append(cells, formatEstimate(p.Metrics[name], experimentMetric(e, name)))
		}
		if bottlenecks {
			cells = append(cells, p.Bottleneck)
		}
		mood := ""
		if p.Valid == 0 {
			mood = "invalid"
		}
		t.Rows = append(t.Rows, tableRow{Mood: mood, Cells: cells})
	}
	return t
}

// formatEstimate formats a mean with its interval. Of fewer runs than an interval needs it lists all.
func formatEstimate(e statistics.Estimate, m metricInfo) string {
	switch e.N {
	case 0:
		return "–"
	case 1:
		return formatNumber(e.Mean * m.displayScale())
	}
	if e.Interval == nil {
		var runs []string
		for _, v := range e.Values {
			runs = append(runs, formatNumber(v*m.displayScale()))
		}
		return fmt.Sprintf("%s (%s)", formatNumber(e.Mean*m.displayScale()), strings.Join(runs, ", "))
	}
	scaled := func(v float64) string { return formatNumber(v * m.displayScale()) }
	return scaled(e.Mean) + " " + e.Format(scaled)
}

func variantColumns(e *experiment.Result) []tableColumn {
	if len(e.Variants) == 0 {
		return nil
	}
	return textColumns("Variant")
}

func variantCells(e *experiment.Result, p experiment.Point) []string {
	if len(e.Variants) == 0 {
		return nil
	}
	return []string{p.Variant}
}

func runsText(e *experiment.Result) []string {
	if slices.ContainsFunc(e.Runs, func(r experiment.Run) bool { return r.Verdict != experiment.RunValid }) {
		return []string{"Runs in italics are invalid or failed. They have no part in means and intervals. " +
			"In comparisons they are the worst outcomes, unless only the environment was at fault."}
	}
	return nil
}

// runsTable lists every run in the order in which the runs were created.
func runsTable(e *experiment.Result) htmlTable {
	names, points := runMetricNames(e.Runs), pointsByName(e)
	t := htmlTable{Header: slices.Concat(textColumns("Run"), variantColumns(e), textColumns(parameterNames(e)...), textColumns("Start", "Verdict"))}
	for _, name := range names {
		t.Header = append(t.Header, numberColumns(withUnit(experimentMetric(e, name).title, experimentMetric(e, name).displayUnit()))...)
	}
	t.Header = append(t.Header, slices.Concat(textColumns("Bottleneck"), proseColumns("Reasons"))...)
	noted := slices.ContainsFunc(e.Runs, func(r experiment.Run) bool { return len(r.Notes) > 0 })
	if noted {
		t.Header = append(t.Header, proseColumns("Notes")...)
	}
	for _, r := range e.Runs {
		p := points[r.Point]
		cells := slices.Concat([]string{r.Name}, variantCells(e, p), parameterValues(e, p), []string{formatTime(r.Start), string(r.Verdict)})
		for _, name := range names {
			value, known := r.Metrics[name]
			if !known {
				value = measurement.Missing
			}
			cells = append(cells, formatNumber(value*experimentMetric(e, name).displayScale()))
		}
		cells = append(cells, r.Bottleneck, strings.Join(r.Reasons, "; "))
		if noted {
			cells = append(cells, r.NotesText())
		}
		mood := ""
		if r.Verdict != experiment.RunValid {
			mood = strings.ToLower(string(r.Verdict))
		}
		t.Rows = append(t.Rows, tableRow{Mood: mood, Cells: cells})
	}
	return t
}

func saturationTable(e *experiment.Result) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Search"), numberColumns("Holds to", "Missed from", "Knee"), proseColumns("Confidence"))}
	for _, s := range e.Saturation {
		t.Rows = append(t.Rows, tableRow{Cells: []string{s.Name, formatLoad(s.Load), formatLoad(s.Unmet), formatLoad(s.Knee), s.Message}})
	}
	return t
}

// formatLoad formats a load, or a dash if a search found none.
func formatLoad(load float64) string {
	if load == 0 {
		return "–"
	}
	return groupThousands(strconv.FormatFloat(load, 'f', -1, 64))
}

func comparisonTable(e *experiment.Result) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Metric", "Candidate", "Baseline"),
		numberColumns("Runs", "Baseline mean", "Candidate mean", "Difference", "Bounds", "p (corrected)", "Effect", "Detectable", "Failed runs", "Trend per run"),
		textColumns("Verdict", "Gate"))}
	points := pointsByName(e)
	for _, c := range e.Comparisons {
		m := experimentMetric(e, c.Metric)
		cells := []string{m.title, formatCandidate(c, points), c.Baseline, fmt.Sprintf("%d against %d", c.Candidates, c.Baselines)}
		if !c.HasValues() {
			cells = append(cells, "–", "–", "–", "–", "–", "–", "–")
		} else {
			cells = append(cells, m.formatValue(c.BaselineMean), m.formatValue(c.CandidateMean), formatDifference(c, c.Difference),
				c.Format(func(v float64) string { return formatDifference(c, v) }), formatNumber(c.AdjustedPValue), formatNumber(c.EffectSize), formatDetectable(c))
		}
		cells = append(cells, c.Failures.String(), formatTrend(c))
		t.Rows = append(t.Rows, tableRow{Cells: append(cells, verdictLabels[c.Verdict], cmp.Or(string(c.Gate), "–"))})
	}
	return t
}

var verdictLabels = map[v1alpha1.ComparisonVerdict]string{
	v1alpha1.ComparisonBetter: "Better", v1alpha1.ComparisonWorse: "Worse",
	v1alpha1.ComparisonNoDifference: "No difference shown", v1alpha1.ComparisonTooFewRuns: "Too few runs",
	v1alpha1.ComparisonDrifting: "Difference drifts",
}

// formatDifference formats a difference on its comparison's scale: a share of the baseline, or in the metric's
// own unit.
func formatDifference(c experiment.ComparisonOutcome, v float64) string {
	if c.Scale != statistics.Absolute {
		return formatSignedPercent(v)
	}
	text := findMetric(c.Metric).formatValue(v)
	if v > 0 {
		text = "+" + text
	}
	return text
}

func formatDetectable(c experiment.ComparisonOutcome) string {
	if c.Detectable == nil {
		return "unknown"
	}
	return strings.TrimPrefix(formatDifference(c, *c.Detectable), "+")
}

func formatTrend(c experiment.ComparisonOutcome) string {
	if c.Trend == nil {
		return "unknown"
	}
	return fmt.Sprintf("%s, p = %s", formatSignedPercent(c.Trend.PerRun), formatNumber(c.Trend.PValue))
}

// networksSection describes the networks of the points, as far as the runs' own results are available.
func networksSection(e *experiment.Result, runs map[string]*document.RunResult) section {
	s := section{ID: "environment", Title: "Environment"}
	networks := htmlTable{Title: "Networks", Header: textColumns("Network", "Platform", "Operator", "Plan")}
	var first *document.RunResult
	seen := map[string]bool{}
	for _, run := range e.Runs {
		r := runs[run.Name]
		if r == nil || seen[r.Run.Network] {
			continue
		}
		seen[r.Run.Network] = true
		first = cmp.Or(first, r)
		versions := []string{r.Run.Network, r.Environment.PlatformVersion, r.Environment.OperatorVersion, r.Environment.PlanHash}
		networks.Rows = append(networks.Rows, tableRow{Cells: versions})
	}
	if first == nil {
		return s
	}
	s.Text = []string{"The tables below show the run " + first.Run.Name + ". What a variant or an axis changes " +
		"differs in the other networks; see the result of each run."}
	s.Tables = append([]htmlTable{networks}, environmentSection(first).Tables...)
	return s
}

func reproduceExperimentSection(e *experiment.Result, runs map[string]*document.RunResult) section {
	s := section{ID: "reproduce", Title: "How to reproduce"}
	s.Text = []string{fmt.Sprintf("The plugin writes a bundle with the manifest of this experiment, its seed, %d, and the images pinned by digest.", e.Seed)}
	s.Code = []codeBlock{bundleCode("bexp/"+e.Experiment.Name, e.Experiment.Namespace)}
	axes := htmlTable{Title: "Axes", Header: slices.Concat(textColumns("Axis", "Field"), proseColumns("Values"))}
	for _, a := range e.Axes {
		axes.Rows = append(axes.Rows, tableRow{Cells: []string{a.Name, a.Field, strings.Join(a.Values, ", ")}})
	}
	s.Tables = withRows(axes)
	for _, run := range e.Runs {
		if r := runs[run.Name]; r != nil {
			s.Code = append(s.Code, workloadCode(r)...)
			break
		}
	}
	return s
}
