package container

import (
	"fmt"
	"slices"
	"time"
)

// Usage is the resource usage of one container. All fields except WorkingSet only grow while the container lives.
type Usage struct {
	// CPU is the CPU time used by all processes of the container.
	CPU time.Duration
	// Periods counts the elapsed periods of the CPU quota, ThrottledPeriods those that exhausted it. Both are
	// zero without a quota.
	Periods, ThrottledPeriods uint64
	// Throttled is how long the container was throttled.
	Throttled time.Duration
	// WorkingSet is the memory in use, in bytes, without the inactive page cache, as the kubelet counts it.
	WorkingSet uint64
}

// usageMetric describes one metric: its name, help, kind, the largest accepted value, and how to get and set its field.
type usageMetric struct {
	name, help string
	kind       MetricKind
	maxValue   float64
	get        func(Usage) float64
	set        func(*Usage, float64)
}

var usageMetrics = []usageMetric{
	{"benchnet_container_cpu_usage_seconds_total", "CPU time used by the container.", Counter, maxSeconds,
		func(u Usage) float64 { return u.CPU.Seconds() }, func(u *Usage, v float64) { u.CPU = secondsToDuration(v) }},
	{"benchnet_container_cpu_periods_total", "CPU quota periods that elapsed.", Counter, maxCount,
		func(u Usage) float64 { return float64(u.Periods) }, func(u *Usage, v float64) { u.Periods = uint64(v) }},
	{"benchnet_container_cpu_throttled_periods_total", "CPU quota periods in which the container was throttled.", Counter, maxCount,
		func(u Usage) float64 { return float64(u.ThrottledPeriods) }, func(u *Usage, v float64) { u.ThrottledPeriods = uint64(v) }},
	{"benchnet_container_cpu_throttled_seconds_total", "Time for which the container was throttled.", Counter, maxSeconds,
		func(u Usage) float64 { return u.Throttled.Seconds() }, func(u *Usage, v float64) { u.Throttled = secondsToDuration(v) }},
	{"benchnet_container_memory_working_set_bytes", "Memory in use without the inactive page cache.", Gauge, maxCount,
		func(u Usage) float64 { return float64(u.WorkingSet) }, func(u *Usage, v float64) { u.WorkingSet = uint64(v) }},
}

const (
	// maxSeconds is 285 years, which fits a time.Duration.
	maxSeconds = 9e9
	// maxCount is the largest value up to which a float64 represents every integer.
	maxCount = 1 << 53
)

func secondsToDuration(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }

// Metrics returns the usage as metrics. For a zero Usage they serve as the catalogue.
func (u Usage) Metrics() Catalogue {
	all := make(Catalogue, 0, len(usageMetrics))
	for _, m := range usageMetrics {
		all = append(all, Metric{Name: m.name, Kind: m.kind, Help: m.help, Value: m.get(u)})
	}
	return all
}

// Metrics lists all metrics of a container, its threads and JVMs, and its host.
var Metrics = slices.Concat(Usage{}.Metrics(), evidenceMetrics, hostMetrics, jvmMetrics, threadMetrics)

// UsageFromMetrics returns the usage from the values of Metrics. It ignores other values and fails if one is
// missing or out of range.
func UsageFromMetrics(values map[string]float64) (Usage, error) {
	var u Usage
	for _, m := range usageMetrics {
		value, found := values[m.name]
		switch {
		case !found:
			return Usage{}, fmt.Errorf("metric %s is missing", m.name)
		case !(value >= 0 && value <= m.maxValue):
			return Usage{}, fmt.Errorf("metric %s is %v, want a number from 0 to %v", m.name, value, m.maxValue)
		}
		m.set(&u, value)
	}
	return u, nil
}
