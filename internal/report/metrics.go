package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// metricInfo holds the title and unit of a metric.
type metricInfo struct {
	name v1alpha1.Metric
	// title is for people. The unit of throughput depends on what an operation is.
	title, unit string
}

// knownMetrics are in the order in which they are shown.
var knownMetrics = []metricInfo{
	{v1alpha1.MetricThroughput, "Throughput", "1/s"},
	{v1alpha1.MetricLatencyMean, "Mean latency", "ms"},
	{v1alpha1.MetricLatencyP50, "Median latency (p50)", "ms"},
	{v1alpha1.MetricLatencyP90, "Latency p90", "ms"},
	{v1alpha1.MetricLatencyP95, "Latency p95", "ms"},
	{v1alpha1.MetricLatencyP99, "Latency p99", "ms"},
	{v1alpha1.MetricLatencyP999, "Latency p99.9", "ms"},
	{v1alpha1.MetricFinalityMean, "Mean finality", "ms"},
	{v1alpha1.MetricFinalityP50, "Median finality (p50)", "ms"},
	{v1alpha1.MetricFinalityP95, "Finality p95", "ms"},
	{v1alpha1.MetricFinalityP99, "Finality p99", "ms"},
	{v1alpha1.MetricErrorShare, "Share of errors", ""},
	{v1alpha1.MetricAvailability, "Availability", ""},
	{v1alpha1.MetricOperationsLost, "Lost operations", ""},
	{v1alpha1.MetricOperationsDoubled, "Doubled operations", ""},
	{v1alpha1.MetricOutageTime, "Outage", "s"},
	{v1alpha1.MetricRecoveryTime, "Recovery time", "s"},
	{v1alpha1.MetricDegradationTime, "Degradation", "s"},
	{v1alpha1.MetricLatencyRecoveryTime, "Latency recovery time", "s"},
}

// findMetric returns the description of a metric. An unknown metric has its own name as title.
func findMetric(name string) metricInfo {
	if i := slices.IndexFunc(knownMetrics, func(m metricInfo) bool { return string(m.name) == name }); i >= 0 {
		return knownMetrics[i]
	}
	return metricInfo{name: v1alpha1.Metric(name), title: name}
}

// displayScale returns the factor from a value to its display unit: shares are shown in percent.
func (m metricInfo) displayScale() float64 {
	if m.name.IsShare() {
		return 100
	}
	return 1
}

// isLatency reports whether the metric is a time.
func (m metricInfo) isLatency() bool { return m.unit == "ms" }

// axisTitle returns the title of an axis: the metric and its unit.
func (m metricInfo) axisTitle(operations string) string {
	switch {
	case m.name == v1alpha1.MetricThroughput:
		return m.title + " (" + operations + " per second)"
	case m.name.IsShare():
		return m.title + " (%)"
	}
	return withUnit(m.title, m.unit)
}

// displayUnit returns the unit in which values are shown.
func (m metricInfo) displayUnit() string {
	if m.name.IsShare() {
		return "%"
	}
	return m.unit
}

// formatValue formats a value with its unit.
func (m metricInfo) formatValue(v float64) string {
	if m.name.IsShare() {
		return formatPercent(v)
	}
	return formatQuantity(v, m.unit)
}

// operationUnit returns what an operation of the experiment is.
func operationUnit(e *experiment.Result) string {
	for _, p := range e.Points {
		if p.Unit != "" {
			return p.Unit
		}
	}
	return unitOrDefault("")
}

// latencyKind returns what the latencies of an experiment are; empty if its points differ.
func latencyKind(e *experiment.Result) measurement.LatencyKind {
	kind := measurement.LatencyKind("")
	for _, p := range e.Points {
		if p.LatencyKind != "" && kind != "" && p.LatencyKind != kind {
			return ""
		}
		kind = cmp.Or(kind, p.LatencyKind)
	}
	return kind
}

// experimentMetric returns the description of a metric in an experiment. If its operations are blocks, a
// latency is the block time, and in a closed loop the service time.
func experimentMetric(e *experiment.Result, name string) metricInfo {
	m := findMetric(name)
	if m.name == v1alpha1.MetricThroughput {
		m.unit = operationUnit(e) + "/s"
	}
	name = latencyTitle(operationUnit(e), latencyKind(e))
	m.title = strings.NewReplacer("Latency", name, "latency", strings.ToLower(name)).Replace(m.title)
	return m
}

func pointMetricNames(points []experiment.Point) []string {
	seen := map[string]bool{}
	for _, p := range points {
		for name := range p.Metrics {
			seen[name] = true
		}
	}
	return sortedMetricNames(seen)
}

func runMetricNames(runs []experiment.Run) []string {
	seen := map[string]bool{}
	for _, r := range runs {
		for name := range r.Metrics {
			seen[name] = true
		}
	}
	return sortedMetricNames(seen)
}

// sortedMetricNames returns known metrics in the order of knownMetrics, then others by name.
func sortedMetricNames(seen map[string]bool) []string {
	rank := func(name string) int {
		if i := slices.IndexFunc(knownMetrics, func(m metricInfo) bool { return string(m.name) == name }); i >= 0 {
			return i
		}
		return len(knownMetrics)
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b)) })
}

func metricColumnNames(names []string) []string {
	var columns []string
	for _, name := range names {
		columns = append(columns, withUnit(name, findMetric(name).unit))
	}
	return columns
}

// parameterValues returns the values of a point in the order of parameterNames.
func parameterValues(e *experiment.Result, p experiment.Point) []string {
	var values []string
	for _, name := range parameterNames(e) {
		values = append(values, p.Value(name))
	}
	return values
}

func pointsByName(e *experiment.Result) map[string]experiment.Point {
	points := map[string]experiment.Point{}
	for _, p := range e.Points {
		points[p.Name] = p
	}
	return points
}
