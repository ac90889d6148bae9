package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// metric is how a number of a run is called and measured.
type metric struct {
	name v1alpha1.Metric
	// title for people, and the unit; the unit of throughput follows from what an operation is.
	title, unit string
	// higher is better, or worse.
	better direction
}

type direction int

const (
	lower direction = iota
	higher
)

// metrics in the order in which they are shown.
var metrics = []metric{
	{v1alpha1.MetricThroughput, "Throughput", "1/s", higher},
	{v1alpha1.MetricLatencyMean, "Mean latency", "ms", lower},
	{v1alpha1.MetricLatencyP50, "Median latency (p50)", "ms", lower},
	{v1alpha1.MetricLatencyP90, "Latency p90", "ms", lower},
	{v1alpha1.MetricLatencyP95, "Latency p95", "ms", lower},
	{v1alpha1.MetricLatencyP99, "Latency p99", "ms", lower},
	{v1alpha1.MetricLatencyP999, "Latency p99.9", "ms", lower},
	{v1alpha1.MetricErrorShare, "Share of errors", "", lower},
}

// metricNamed describes a metric; one that is not known is shown under its own name.
func metricNamed(name string) metric {
	if i := slices.IndexFunc(metrics, func(m metric) bool { return string(m.name) == name }); i >= 0 {
		return metrics[i]
	}
	return metric{name: v1alpha1.Metric(name), title: name}
}

// scale brings a value to the unit in which it is shown: shares are percent.
func (m metric) scale() float64 {
	if m.name == v1alpha1.MetricErrorShare {
		return 100
	}
	return 1
}

// axis of a chart: what it shows, and in which unit.
func (m metric) axis(operations string) string {
	switch m.name {
	case v1alpha1.MetricThroughput:
		return m.title + " (" + operations + " per second)"
	case v1alpha1.MetricErrorShare:
		return m.title + " (%)"
	}
	return withUnit(m.title, m.unit)
}

// shownUnit is that of show.
func (m metric) shownUnit() string {
	if m.name == v1alpha1.MetricErrorShare {
		return "%"
	}
	return m.unit
}

// show writes a value with its unit.
func (m metric) show(v float64) string {
	if m.name == v1alpha1.MetricErrorShare {
		return percent(v)
	}
	return quantity(v, m.unit)
}

// unit is what an operation of the experiment is.
func unit(e *experiment.Result) string {
	for _, p := range e.Points {
		if p.Unit != "" {
			return p.Unit
		}
	}
	return unitOf("")
}

// metricOf an experiment: where its operations are blocks, a latency is the time from one to the next.
func metricOf(e *experiment.Result, name string) metric {
	m := metricNamed(name)
	if m.name == v1alpha1.MetricThroughput {
		m.unit = unit(e) + "/s"
	}
	name = latencyName(unit(e))
	m.title = strings.NewReplacer("Latency", name, "latency", strings.ToLower(name)).Replace(m.title)
	return m
}

func metricsOfPoints(points []experiment.Point) []string {
	seen := map[string]bool{}
	for _, p := range points {
		for name := range p.Metrics {
			seen[name] = true
		}
	}
	return inOrder(seen)
}

func metricsOfRuns(runs []experiment.Run) []string {
	seen := map[string]bool{}
	for _, r := range runs {
		for name := range r.Metrics {
			seen[name] = true
		}
	}
	return inOrder(seen)
}

// inOrder lists known metrics as metrics does, then others by name.
func inOrder(seen map[string]bool) []string {
	var names []string
	for name := range seen {
		names = append(names, name)
	}
	rank := func(name string) int {
		if i := slices.IndexFunc(metrics, func(m metric) bool { return string(m.name) == name }); i >= 0 {
			return i
		}
		return len(metrics)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b)) })
	return names
}

func columnNames(names []string) []string {
	var columns []string
	for _, name := range names {
		columns = append(columns, withUnit(name, metricNamed(name).unit))
	}
	return columns
}

// parameterValues of a point, in the order of parameters.
func parameterValues(e *experiment.Result, p experiment.Point) []string {
	var values []string
	for _, name := range parameters(e) {
		values = append(values, parameter(p, name))
	}
	return values
}

// parameter of a point by the name of its axis; empty if it has none.
func parameter(p experiment.Point, axis string) string {
	for _, parameter := range p.Parameters {
		if parameter.Name == axis {
			return parameter.Value
		}
	}
	return ""
}

func pointsByName(e *experiment.Result) map[string]experiment.Point {
	points := map[string]experiment.Point{}
	for _, p := range e.Points {
		points[p.Name] = p
	}
	return points
}
