package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/results"
	"github.com/benchnet/benchnet/internal/statistics"
)

// Experiment writes the report of an experiment: an HTML page that needs nothing else. runs holds what is known of its runs by
// name, and may lack some of them.
func Experiment(w io.Writer, e *experiment.Result, runs map[string]*results.Result) error {
	var sections []section
	for _, group := range chartGroups(e) {
		drawn, err := figures(group.charts)
		if err != nil {
			return err
		}
		sections = append(sections, section{ID: group.id, Title: group.title, Figures: drawn})
	}
	p := page{
		Kind: "Experiment", Title: e.Experiment.Name, Subtitle: experimentSubtitle(e),
		Summary: experimentSummary(e), Banner: experimentBanner(e), Keys: experimentKeys(e),
		Sections: append(sections,
			section{ID: "searches", Title: "Searches", Tables: saturationTable(e)},
			section{ID: "comparisons", Title: "Comparisons", Tables: comparisonTable(e)},
			section{ID: "points", Title: "Points", Tables: []listing{pointsTable(e)}},
			section{ID: "runs", Title: "Runs", Text: runsText(e), Tables: []listing{runsTable(e)}},
			networksSection(e, runs),
			reproduceExperiment(e, runs),
		),
		Data: e,
	}
	return p.write(w)
}

// ExperimentCharts are the charts of an experiment, those first that say most.
func ExperimentCharts(e *experiment.Result, _ map[string]*results.Result) ([]Chart, error) {
	var all []Chart
	for _, group := range chartGroups(e) {
		all = append(all, group.charts...)
	}
	return all, nil
}

// chartGroup is the charts that answer one question.
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
	for _, s := range sweeps(e) {
		if len(e.Saturation) == 1 && isLoad(e, s.parameter) {
			// The search has charts of its own, with the same points.
			groups[0].charts = append(groups[0].charts, s.throughputLatency(e))
			continue
		}
		groups = append(groups, chartGroup{id: "by-" + fileName(s.parameter), title: "By " + s.parameter, charts: sweepCharts(e, s)})
	}
	return groups
}

func experimentSubtitle(e *experiment.Result) string {
	return strings.Join([]string{e.Experiment.Namespace, "strategy " + e.Strategy, "order " + e.Order, moment(e.Start)}, " · ")
}

func pointsTable(e *experiment.Result) listing {
	names := metricsOfPoints(e.Points)
	t := listing{Header: slices.Concat(texts("Point"), variantColumn(e), texts(parameters(e)...), numbers("Valid", "Invalid", "Failed"))}
	for _, name := range names {
		t.Header = append(t.Header, numbers(withUnit(metricOf(e, name).title, metricOf(e, name).shownUnit()))...)
	}
	bottlenecks := slices.ContainsFunc(e.Points, func(p experiment.Point) bool { return p.Bottleneck != "" })
	if bottlenecks {
		t.Header = append(t.Header, texts("Bottleneck")...)
	}
	for _, p := range e.Points {
		cells := slices.Concat([]string{p.Name}, variantCell(e, p), parameterValues(e, p),
			[]string{strconv.Itoa(p.Valid), strconv.Itoa(p.Invalid), strconv.Itoa(p.Failed)})
		for _, name := range names {
			cells = append(cells, estimate(p.Metrics[name], metricOf(e, name)))
		}
		if bottlenecks {
			cells = append(cells, p.Bottleneck)
		}
		mood := ""
		if p.Valid == 0 {
			mood = "invalid"
		}
		t.Rows = append(t.Rows, row{Mood: mood, Cells: cells})
	}
	return t
}

// estimate is a mean with half its interval; the mean alone of a single run.
func estimate(e statistics.Estimate, m metric) string {
	switch e.N {
	case 0:
		return "–"
	case 1:
		return number(e.Mean * m.scale())
	}
	return number(e.Mean*m.scale()) + " ± " + rounded(e.HalfWidth()*m.scale(), 2)
}

func variantColumn(e *experiment.Result) []column {
	if len(e.Variants) == 0 {
		return nil
	}
	return texts("Variant")
}

func variantCell(e *experiment.Result, p experiment.Point) []string {
	if len(e.Variants) == 0 {
		return nil
	}
	return []string{p.Variant}
}

func runsText(e *experiment.Result) []string {
	if slices.ContainsFunc(e.Runs, func(r experiment.Run) bool { return r.Verdict != valid }) {
		return []string{"Runs in italics are invalid or failed. They are kept and shown, and are in none of the statistics."}
	}
	return nil
}

// runsTable lists every run in the order in which they were made.
func runsTable(e *experiment.Result) listing {
	names, points := metricsOfRuns(e.Runs), pointsByName(e)
	t := listing{Header: slices.Concat(texts("Run"), variantColumn(e), texts(parameters(e)...), texts("Start", "Verdict"))}
	for _, name := range names {
		t.Header = append(t.Header, numbers(withUnit(metricOf(e, name).title, metricOf(e, name).shownUnit()))...)
	}
	t.Header = append(t.Header, slices.Concat(texts("Bottleneck"), prose("Reasons"))...)
	noted := slices.ContainsFunc(e.Runs, func(r experiment.Run) bool { return len(r.Notes) > 0 })
	if noted {
		t.Header = append(t.Header, prose("Recorded only")...)
	}
	for _, r := range e.Runs {
		p := points[r.Point]
		cells := slices.Concat([]string{r.Name}, variantCell(e, p), parameterValues(e, p), []string{moment(r.Start), r.Verdict})
		for _, name := range names {
			value, known := r.Metrics[name]
			if !known {
				value = results.Missing
			}
			cells = append(cells, number(value*metricOf(e, name).scale()))
		}
		cells = append(cells, r.Bottleneck, strings.Join(r.Reasons, "; "))
		if noted {
			cells = append(cells, r.NotesText())
		}
		mood := ""
		if r.Verdict != valid {
			mood = strings.ToLower(r.Verdict)
		}
		t.Rows = append(t.Rows, row{Mood: mood, Cells: cells})
	}
	return t
}

func saturationTable(e *experiment.Result) []listing {
	if len(e.Saturation) == 0 {
		return nil
	}
	t := listing{Header: slices.Concat(texts("Search"), numbers("Holds to", "Missed from", "Knee"), prose("How sure"))}
	for _, s := range e.Saturation {
		t.Rows = append(t.Rows, row{Cells: []string{s.Name, load(s.Load), load(s.Unmet), load(s.Knee), s.Message}})
	}
	return []listing{t}
}

// load is a dash where a search found none.
func load(l int64) string {
	if l == 0 {
		return "–"
	}
	return exact(l)
}

func comparisonTable(e *experiment.Result) []listing {
	if len(e.Comparisons) == 0 {
		return nil
	}
	t := listing{Header: slices.Concat(texts("Metric", "Candidate", "Baseline"),
		numbers("Runs", "Baseline mean", "Candidate mean", "Difference", "Interval", "p", "Effect", "Detectable"), texts("Verdict", "Gate"))}
	points := pointsByName(e)
	for _, c := range e.Comparisons {
		m := metricOf(e, c.Metric)
		cells := []string{m.title, candidateOf(c, points), c.Baseline, fmt.Sprintf("%d against %d", c.Candidates, c.Baselines)}
		if c.Candidates == 0 || c.Baselines == 0 {
			cells = append(cells, "–", "–", "–", "–", "–", "–", "–")
		} else {
			cells = append(cells, m.show(c.BaselineMean), m.show(c.CandidateMean), difference(c, c.Difference),
				difference(c, c.Low)+" to "+difference(c, c.High), number(c.PValue), number(c.EffectSize), detectable(c))
		}
		t.Rows = append(t.Rows, row{Cells: append(cells, verdictWords[c.Verdict], cmp.Or(c.Gate, "–"))})
	}
	return []listing{t}
}

var verdictWords = map[string]string{
	experiment.Better: "Better", experiment.Worse: "Worse", experiment.NoDifference: "No difference shown", experiment.TooFewRuns: "Too few runs",
}

// difference writes one on its comparison's scale: a share of the baseline, or in the metric's own unit.
func difference(c experiment.ComparisonOutcome, v float64) string {
	if c.Scale != statistics.Absolute {
		return signedPercent(v)
	}
	text := metricNamed(c.Metric).show(v)
	if v > 0 {
		text = "+" + text
	}
	return text
}

func detectable(c experiment.ComparisonOutcome) string {
	if c.Detectable == 0 {
		return "–"
	}
	return strings.TrimPrefix(difference(c, c.Detectable), "+")
}

// networksSection is on what the points were measured, as far as the runs' own results are known.
func networksSection(e *experiment.Result, runs map[string]*results.Result) section {
	s := section{ID: "environment", Title: "Environment"}
	networks := listing{Title: "Networks", Header: texts("Network", "Platform", "Operator", "Plan")}
	var first *results.Result
	seen := map[string]bool{}
	for _, run := range e.Runs {
		r := runs[run.Name]
		if r == nil || seen[r.Run.Network] {
			continue
		}
		seen[r.Run.Network] = true
		first = cmp.Or(first, r)
		versions := []string{r.Run.Network, r.Environment.PlatformVersion, r.Environment.OperatorVersion, r.Environment.PlanHash}
		networks.Rows = append(networks.Rows, row{Cells: versions})
	}
	if first == nil {
		return s
	}
	s.Text = []string{"The tables below are of the run " + first.Run.Name + ". What a variant or an axis changes " +
		"differs in the other networks; each run's own result has it."}
	s.Tables = append([]listing{networks}, environmentSection(first).Tables...)
	return s
}

func reproduceExperiment(e *experiment.Result, runs map[string]*results.Result) section {
	s := section{ID: "reproduce", Title: "How to reproduce"}
	s.Text = []string{fmt.Sprintf("The plugin writes the manifest of this experiment with its seed, %d, and the images pinned by digest.", e.Seed)}
	s.Code = []code{{"", fmt.Sprintf("kubectl benchnet reproduce bexp/%s --namespace %s", e.Experiment.Name, e.Experiment.Namespace)}}
	axes := listing{Title: "Axes", Header: slices.Concat(texts("Axis", "Field"), prose("Values"))}
	for _, a := range e.Axes {
		axes.Rows = append(axes.Rows, row{Cells: []string{a.Name, a.Field, strings.Join(a.Values, ", ")}})
	}
	if len(axes.Rows) > 0 {
		s.Tables = append(s.Tables, axes)
	}
	for _, run := range e.Runs {
		if r := runs[run.Name]; r != nil {
			s.Code = append(s.Code, workloadCode(r)...)
			break
		}
	}
	return s
}
