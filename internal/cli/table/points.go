package table

import (
	"fmt"
	"strconv"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// ForPoints returns a table of the points of a finished experiment: means over the valid runs, with
// their confidence interval or, of few runs, the lowest and the highest. Latencies are in milliseconds.
func ForPoints(e *experiment.Result) *Table {
	names := []string{"Point"}
	for _, axis := range e.Axes {
		names = append(names, axis.Name)
	}
	if len(e.Variants) > 0 {
		names = append(names, "Variant")
	}
	names = append(names, "Valid", "Throughput", "P50 ms", "P95 ms", "P99 ms", "Errors", "Bottleneck", "+Network", "+Mean ms", "+P90 ms", "+P99.9 ms",
		"+Finality P50 ms", "+Finality P95 ms", "+Finality P99 ms")
	t := New(names...)
	for i := range e.Points {
		t.AddRow(buildPointRow(e, &e.Points[i])...)
	}
	return t
}

func buildPointRow(e *experiment.Result, p *experiment.Point) []string {
	row := []string{p.Name}
	for i := range e.Axes {
		row = append(row, p.Value(e.Axes[i].Name))
	}
	if len(e.Variants) > 0 {
		row = append(row, p.Variant)
	}
	throughput := formatMetric(p.Metrics, v1alpha1.MetricThroughput)
	if throughput != "" && p.Unit != "" {
		throughput += " " + p.Unit + "/s"
	}
	m := p.Metrics
	return append(row, fmt.Sprintf("%d/%d", p.Valid, p.Valid+p.Invalid+p.Failed), throughput,
		formatMetric(m, v1alpha1.MetricLatencyP50), formatMetric(m, v1alpha1.MetricLatencyP95), formatMetric(m, v1alpha1.MetricLatencyP99),
		formatErrorShare(m), p.Bottleneck, p.Network,
		formatMetric(m, v1alpha1.MetricLatencyMean), formatMetric(m, v1alpha1.MetricLatencyP90), formatMetric(m, v1alpha1.MetricLatencyP999),
		formatMetric(m, v1alpha1.MetricFinalityP50), formatMetric(m, v1alpha1.MetricFinalityP95), formatMetric(m, v1alpha1.MetricFinalityP99))
}

func formatMetric(metrics map[string]statistics.Estimate, metric v1alpha1.Metric) string {
	e, ok := metrics[string(metric)]
	if !ok {
		return ""
	}
	return e.String()
}

func formatErrorShare(metrics map[string]statistics.Estimate) string {
	share, ok := metrics[string(v1alpha1.MetricErrorShare)]
	if !ok || share.N == 0 {
		return ""
	}
	return format.Percent(share.Mean)
}

// ForPartialPoints returns a table of the points of an unfinished experiment.
func ForPartialPoints(s *v1alpha1.BenchmarkExperimentStatus) *Table {
	t := New("Point", "Parameters", "Runs", "Invalid", "Throughput", "P95", "Bottleneck")
	for _, p := range s.Points {
		t.AddRow(p.Name, p.Display.Parameters, fmt.Sprint(p.RunsEnded), fmt.Sprint(p.RunsInvalid), p.Display.Throughput, p.Display.P95, p.Display.Bottleneck)
	}
	return t
}

// ForFaultTimes returns a table of the times of the faults at the points of an experiment: medians in seconds with their confidence
// interval or, of few runs, the lowest and the highest.
func ForFaultTimes(points []experiment.Point) *Table {
	t := New("Point", "Parameters", "Fault", "Metric", "Runs", "Cut off", "Median s")
	for i := range points {
		for _, f := range points[i].FaultTimes {
			t.AddRow(points[i].Name, points[i].Label(), f.Fault, string(f.Metric), strconv.Itoa(f.N), strconv.Itoa(f.Censored), f.Format(format.Number))
		}
	}
	return t
}

// ForPointSegments returns a table of the segments of the window at the points of an experiment, with the values of ForPoints.
func ForPointSegments(points []experiment.Point) *Table {
	t := New("Point", "Parameters", "Segment", "Throughput", "P50 ms", "P95 ms", "P99 ms", "Errors")
	for i := range points {
		for _, s := range points[i].Segments {
			m := s.Metrics
			t.AddRow(points[i].Name, points[i].Label(), s.Segment, formatMetric(m, v1alpha1.MetricThroughput), formatMetric(m, v1alpha1.MetricLatencyP50),
				formatMetric(m, v1alpha1.MetricLatencyP95), formatMetric(m, v1alpha1.MetricLatencyP99), formatErrorShare(m))
		}
	}
	return t
}

// ForPointNotes returns a table of the points whose runs have notes.
func ForPointNotes(points []experiment.Point) *Table {
	t := New("Point", "Notes")
	for i := range points {
		if notes := points[i].NotesText(); notes != "" {
			t.AddRow(points[i].Name, notes)
		}
	}
	return t
}

// ForSaturation returns a table of the saturation searches' results.
func ForSaturation(found []experiment.Saturation) *Table {
	t := New("Search", "Load", "Unmet", "Knee", "Message")
	for _, s := range found {
		t.AddRow(s.Name, formatLoad(s.Load), formatLoad(s.Unmet), formatLoad(s.Knee), s.Message)
	}
	return t
}

func formatLoad(load float64) string {
	if load == 0 {
		return ""
	}
	return strconv.FormatFloat(load, 'f', -1, 64)
}

// ForComparisons returns a table of comparisons between candidates and baselines. P is corrected for the number of
// comparisons.
func ForComparisons(outcomes []experiment.ComparisonOutcome) *Table {
	t := New("Candidate", "Metric", "Baseline", "Measured", "Difference", "Interval", "P", "Detectable", "Failed", "Verdict", "Gate",
		"+Against", "+Effect", "+Runs", "+Failed P", "+Trend", "+Message")
	for _, o := range outcomes {
		f := o.Failures
		if o.Verdict == v1alpha1.ComparisonTooFewRuns && !o.HasValues() {
			t.AddRow(o.Candidate, o.MetricName(), "", "", "", "", "", "",
				fmt.Sprintf("%d/%d vs %d/%d", f.Candidate, f.CandidateRuns, f.Baseline, f.BaselineRuns),
				string(o.Verdict), string(o.Gate), o.Baseline, "", "", format.Number(f.PValue), "", o.Message)
			continue
		}
		t.AddRow(o.Candidate, o.MetricName(), format.Number(o.BaselineMean), format.Number(o.CandidateMean), o.FormatDifference(o.Difference),
			o.FormatBounds(), format.Number(o.AdjustedPValue), o.FormatDetectable(),
			fmt.Sprintf("%d/%d vs %d/%d", f.Candidate, f.CandidateRuns, f.Baseline, f.BaselineRuns), string(o.Verdict), string(o.Gate),
			o.Baseline, format.Number(o.EffectSize), fmt.Sprintf("%d against %d", o.Candidates, o.Baselines), format.Number(f.PValue), formatTrend(&o), o.Message)
	}
	return t
}

func formatTrend(o *experiment.ComparisonOutcome) string {
	if o.Trend == nil {
		return "unknown"
	}
	return fmt.Sprintf("%s/run, p %s", format.SignedPercent(o.Trend.PerRun), format.Number(o.Trend.PValue))
}

// ForLatencies returns a table of the latencies of two single runs, in milliseconds. A single run has no intervals.
func ForLatencies(baseline, candidate *document.RunResult) *Table {
	t := New("Latency ms", "Baseline", "Measured", "Difference")
	a, b := baseline.Summary.Latency, candidate.Summary.Latency
	for _, row := range []struct {
		name        string
		was, became *float64
	}{{"mean", &a.Mean, &b.Mean}, {"p50", a.P50, b.P50}, {"p90", a.P90, b.P90}, {"p95", a.P95, b.P95}, {"p99", a.P99, b.P99}, {"max", &a.Max, &b.Max}} {
		change := ""
		if row.was != nil && row.became != nil && *row.was > 0 {
			change = format.SignedPercent(*row.became / *row.was - 1)
		}
		t.AddRow(row.name, formatMillis(row.was), formatMillis(row.became), change)
	}
	return t
}
