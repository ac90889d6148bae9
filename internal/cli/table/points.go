package table

import (
	"fmt"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/results"
	"github.com/benchnet/benchnet/internal/statistics"
)

// Points of an experiment that has its result: one row each, means over the valid runs with the half-width of their
// confidence interval. Latencies are in milliseconds.
func Points(e *experiment.Result) *Table {
	names := []string{"Point"}
	for _, axis := range e.Axes {
		names = append(names, axis.Name)
	}
	if len(e.Variants) > 0 {
		names = append(names, "Variant")
	}
	names = append(names, "Valid", "Throughput", "P50 ms", "P95 ms", "P99 ms", "Errors", "Bottleneck", "+Network", "+Mean ms", "+P90 ms", "+P99.9 ms")
	t := New(names...)
	for i := range e.Points {
		t.Add(pointRow(e, &e.Points[i])...)
	}
	return t
}

func pointRow(e *experiment.Result, p *experiment.Point) []string {
	row := []string{p.Name}
	for i := range e.Axes {
		row = append(row, parameter(p, e.Axes[i].Name))
	}
	if len(e.Variants) > 0 {
		row = append(row, p.Variant)
	}
	throughput := estimate(p, v1alpha1.MetricThroughput)
	if throughput != "" && p.Unit != "" {
		throughput += " " + p.Unit + "/s"
	}
	errors := ""
	if share, ok := p.Metrics[string(v1alpha1.MetricErrorShare)]; ok && share.N > 0 {
		errors = Percent(share.Mean)
	}
	return append(row, fmt.Sprintf("%d/%d", p.Valid, p.Valid+p.Invalid+p.Failed), throughput,
		estimate(p, v1alpha1.MetricLatencyP50), estimate(p, v1alpha1.MetricLatencyP95), estimate(p, v1alpha1.MetricLatencyP99), errors, p.Bottleneck,
		p.Network, estimate(p, v1alpha1.MetricLatencyMean), estimate(p, v1alpha1.MetricLatencyP90), estimate(p, v1alpha1.MetricLatencyP999))
}

func parameter(p *experiment.Point, axis string) string {
	for _, parameter := range p.Parameters {
		if parameter.Name == axis {
			return parameter.Value
		}
	}
	return ""
}

func estimate(p *experiment.Point, metric v1alpha1.Metric) string {
	e, ok := p.Metrics[string(metric)]
	if !ok {
		return ""
	}
	return Estimate(e)
}

// Estimate is a mean with the half-width of its interval, where there is one.
func Estimate(e statistics.Estimate) string {
	switch {
	case e.N == 0:
		return ""
	case e.N == 1:
		return Number(e.Mean)
	}
	return Number(e.Mean) + " ± " + Number(e.HalfWidth())
}

// PointsSoFar are those of an experiment that is under way.
func PointsSoFar(s *v1alpha1.BenchmarkExperimentStatus) *Table {
	t := New("Point", "Parameters", "Runs", "Invalid", "Throughput", "P95 ms", "Bottleneck")
	for _, p := range s.Points {
		t.Add(p.Name, p.Parameters, p.Runs, fmt.Sprint(p.Invalid), p.Throughput, p.P95, p.Bottleneck)
	}
	return t
}

// PointNotes lists the points that have runs with findings about the environment that were only recorded.
func PointNotes(points []experiment.Point) *Table {
	t := New("Point", "Recorded only")
	for i := range points {
		if notes := points[i].NotesText(); notes != "" {
			t.Add(points[i].Name, notes)
		}
	}
	return t
}

// Saturation is what the searches found.
func Saturation(found []experiment.Saturation) *Table {
	t := New("Search", "Load", "Unmet", "Knee", "Message")
	for _, s := range found {
		t.Add(s.Name, load(s.Load), load(s.Unmet), load(s.Knee), s.Message)
	}
	return t
}

func load(x int64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprint(x)
}

// Comparisons of candidates with their baselines.
func Comparisons(outcomes []experiment.ComparisonOutcome) *Table {
	t := New("Candidate", "Metric", "Baseline", "Measured", "Difference", "Interval", "P", "Detectable", "Verdict", "Gate",
		"+Against", "+Effect", "+Runs", "+Message")
	for _, o := range outcomes {
		interval := "[" + difference(&o, o.Low) + ", " + difference(&o, o.High) + "]"
		t.Add(o.Candidate, o.Metric, Number(o.BaselineMean), Number(o.CandidateMean), difference(&o, o.Difference),
			interval, Number(o.PValue), detectable(&o), o.Verdict, o.Gate,
			o.Baseline, Number(o.EffectSize), fmt.Sprintf("%d against %d", o.Candidates, o.Baselines), o.Message)
	}
	return t
}

// detectable returns the smallest difference that the runs would have shown. It is empty where that is unknown, because there are
// too few runs.
func detectable(o *experiment.ComparisonOutcome) string {
	if o.Detectable == 0 {
		return ""
	}
	return strings.TrimPrefix(difference(o, o.Detectable), "+")
}

// difference on the scale of the comparison.
func difference(o *experiment.ComparisonOutcome, value float64) string {
	switch {
	case o.Scale != statistics.Absolute:
		return Signed(value)
	case o.Metric == string(v1alpha1.MetricErrorShare):
		return fmt.Sprintf("%+.2f points", value*100)
	}
	return fmt.Sprintf("%+.3g", value)
}

// Signed is a share in percent with its sign.
func Signed(share float64) string { return fmt.Sprintf("%+.2f %%", share*100) }

// Latencies of two single runs, in milliseconds. One run has no interval.
func Latencies(baseline, candidate *results.Result) *Table {
	t := New("Latency ms", "Baseline", "Measured", "Difference")
	a, b := baseline.Summary.Latency, candidate.Summary.Latency
	for _, row := range []struct {
		name        string
		was, became float64
	}{{"mean", a.Mean, b.Mean}, {"p50", a.P50, b.P50}, {"p90", a.P90, b.P90}, {"p95", a.P95, b.P95}, {"p99", a.P99, b.P99}, {"max", a.Max, b.Max}} {
		change := ""
		if row.was > 0 {
			change = Signed(row.became/row.was - 1)
		}
		t.Add(row.name, Number(row.was), Number(row.became), change)
	}
	return t
}
