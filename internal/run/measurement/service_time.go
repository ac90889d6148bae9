package measurement

import (
	"math"
)

// LatencyKind says what a latency is. It depends on how the load generator starts requests.
type LatencyKind string

const (
	// ServiceTime is the latency of a closed loop, in which a client's next request starts when its last one has
	// ended. A stall delays few requests, because no others start meanwhile (coordinated omission).
	ServiceTime LatencyKind = "ServiceTime"
	// ResponseTime is the latency of an open loop, from the instant at which a request is due.
	ResponseTime LatencyKind = "ResponseTime"
)

// Describe returns the name of the kind for people: "service time", "response time" or an empty string.
func (k LatencyKind) Describe() string {
	switch k {
	case ServiceTime:
		return "service time"
	case ResponseTime:
		return "response time"
	}
	return ""
}

// CorrectedLatency describes the latencies of a closed loop as if each client had kept on sending while it
// waited.
type CorrectedLatency struct {
	// IntervalMillis is the interval at which a client is expected to send: the median service time.
	IntervalMillis float64 `json:"intervalMillis"`
	// Latency has the percentiles that the recorded service times support.
	Latency
}

// maxCorrectionSteps bounds the requests that the correction adds for one latency. Longer sequences are thinned
// and weighted, which changes percentiles by at most a thousandth of the latency.
const maxCorrectionSteps = 1000

// correctLatency returns the corrected latency of a closed loop, or nil in an open loop and without a median.
func (m *Measurement) correctLatency(raw *Latency) *CorrectedLatency {
	if m.LatencyKind != ServiceTime || raw.P50 == nil || *raw.P50 <= 0 {
		return nil
	}
	corrected := m.Histogram.correctForOmission(int64(math.Round(*raw.P50 * 1000)))
	l := corrected.summarizeLatency()
	l.DropUnsupported(m.Histogram.Count()) // Added requests are no evidence.
	return &CorrectedLatency{IntervalMillis: *raw.P50, Latency: l}
}

// correctForOmission returns the histogram with HdrHistogram's correction for coordinated omission: each latency
// above the interval stands for further requests that would have waited an interval less each.
func (h *Histogram) correctForOmission(intervalMicros int64) *Histogram {
	corrected := NewHistogram()
	for _, bar := range h.counts.Distribution() {
		if bar.Count == 0 {
			continue
		}
		latency := min(bar.To, highestMicros)
		_ = corrected.counts.RecordValues(latency, bar.Count) // Within the range, so it cannot fail.
		stride := 1 + latency/intervalMicros/maxCorrectionSteps
		count := saturatingProduct(bar.Count, stride)
		for missing := latency - intervalMicros*stride; missing >= intervalMicros; missing -= intervalMicros * stride {
			_ = corrected.counts.RecordValues(missing, count)
		}
	}
	return corrected
}

// saturatingProduct bounds the product of a count and a stride, so that the sum of a histogram's counts, which
// foreign code may have written, does not overflow.
func saturatingProduct(count, stride int64) int64 {
	return min(count, largestCount/stride) * stride
}
