package measurement

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// minSamplesAbove is how many latencies must lie above a percentile. With fewer, the percentile is hardly more
// than the largest of a few values.
const minSamplesAbove = 10

// SamplesForPercentile returns how many samples a percentile requires, such as 1000 for the 99th.
func SamplesForPercentile(percent float64) int64 {
	return int64(math.Ceil(100*minSamplesAbove/(100-percent) - 1e-6))
}

// Summary describes a run in a few numbers.
type Summary struct {
	// ThroughputPerSecond is the number of operations that completed in the window, divided by its length.
	ThroughputPerSecond float64 `json:"throughputPerSecond"`
	// Completed is the number of operations that completed in the window, whenever they started.
	Completed int64 `json:"completed"`
	// Requests is the number of requests that started in the window: the recorded latencies and the errors.
	Requests int64 `json:"requests"`
	// Errors is the number of failed requests among Requests.
	Errors int64 `json:"errors"`
	// ErrorShare is Errors / Requests, 0 to 1.
	ErrorShare float64 `json:"errorShare"`
	Latency    Latency `json:"latency"`
	// Unit is what a request is: flows, requests, blocks, transactions.
	Unit string `json:"unit,omitempty"`
	// LatencyKind says what Latency is; absent if the load has neither clients nor a rate.
	LatencyKind LatencyKind `json:"latencyKind,omitempty"`
	// Corrected is a service time corrected for coordinated omission; absent with another kind of latency.
	Corrected *CorrectedLatency `json:"corrected,omitempty"`
	// Finality is the time until an operation or a block was final; absent if the platform does not know when, or if nothing
	// succeeded.
	Finality *Finality `json:"finality,omitempty"`
	// Measures are the platform's own numbers.
	Measures []PlatformMetric `json:"measures,omitempty"`
}

// Latency describes the latencies of the successful requests that started in the window, in milliseconds. A
// percentile is nil if fewer than ten latencies lie above it.
type Latency struct {
	Mean float64  `json:"meanMillis"`
	P50  *float64 `json:"p50Millis,omitempty"`
	P90  *float64 `json:"p90Millis,omitempty"`
	P95  *float64 `json:"p95Millis,omitempty"`
	P99  *float64 `json:"p99Millis,omitempty"`
	P999 *float64 `json:"p999Millis,omitempty"`
	Max  float64  `json:"maxMillis"`
}

// Summarize returns the summary. All numbers of an empty measurement are zero.
func (m *Measurement) Summarize() Summary {
	s := Summary{Completed: statistics.Sum(m.Completed), Errors: m.errorCount(), Unit: m.Unit, LatencyKind: m.LatencyKind}
	s.Requests = m.Histogram.Count() + s.Errors
	if m.WindowSeconds > 0 {
		s.ThroughputPerSecond = float64(s.Completed) / float64(m.WindowSeconds)
	}
	s.ErrorShare = statistics.Ratio(s.Errors, s.Requests)
	s.Latency = m.Histogram.summarizeLatency()
	s.Latency.DropUnsupported(m.Histogram.Count())
	s.Corrected = m.correctLatency(&s.Latency)
	s.Finality = m.summarizeFinality()
	return s
}

// summarizeLatency returns mean, maximum and all percentiles.
func (h *Histogram) summarizeLatency() Latency {
	l := Latency{Mean: h.MeanMillis(), Max: h.MaxMillis()}
	for _, p := range l.percentileFields() {
		*p.millis = new(h.PercentileMillis(p.percent))
	}
	return l
}

// DropUnsupported removes the percentiles that so many requests do not support, as older documents have them.
func (l *Latency) DropUnsupported(requests int64) {
	for _, p := range l.percentileFields() {
		if requests < SamplesForPercentile(p.percent) {
			*p.millis = nil
		}
	}
}

// percentileField is a percentile of a Latency.
type percentileField struct {
	name    string
	percent float64
	millis  **float64
}

// percentileFields is the only list of the percentiles, from the lowest.
func (l *Latency) percentileFields() []percentileField {
	return []percentileField{{"P50", 50, &l.P50}, {"P90", 90, &l.P90}, {"P95", 95, &l.P95}, {"P99", 99, &l.P99}, {"P999", 99.9, &l.P999}}
}

// LatencyValue is the mean, a percentile or the maximum of a Latency.
type LatencyValue struct {
	// Name is Mean, P50, P90, P95, P99, P999 or Max. With the prefix Latency, it is a v1alpha1.Metric.
	Name string
	// Percent is the percentile; 0 for the mean, 100 for the maximum.
	Percent float64
	// Millis is nil for a percentile of too few latencies.
	Millis *float64
}

// Label returns the name for people, such as p99.9.
func (v LatencyValue) Label() string { return fmt.Sprintf("p%g", v.Percent) }

// IsPercentile reports whether the value is neither mean nor maximum.
func (v LatencyValue) IsPercentile() bool { return v.Percent > 0 && v.Percent < 100 }

// Values returns mean, percentiles and maximum in this order.
func (l *Latency) Values() []LatencyValue {
	all := []LatencyValue{{"Mean", 0, &l.Mean}}
	for _, p := range l.percentileFields() {
		all = append(all, LatencyValue{p.name, p.percent, *p.millis})
	}
	return append(all, LatencyValue{"Max", 100, &l.Max})
}

// ValueOrMissing returns a percentile, or Missing if it is nil.
func ValueOrMissing(percentile *float64) float64 {
	if percentile == nil {
		return Missing
	}
	return *percentile
}

func (m *Measurement) errorCount() int64 { return countErrors(m.Errors) }

func countErrors(all []ErrorCount) (n int64) {
	for _, e := range all {
		n += e.Count
	}
	return n
}

// HighestPercentile returns the highest percentile that is known, or nil.
func (l *Latency) HighestPercentile() (name string, millis *float64) {
	for _, v := range slices.Backward(l.Values()) {
		if v.IsPercentile() && v.Millis != nil {
			return v.Label(), v.Millis
		}
	}
	return "", nil
}
