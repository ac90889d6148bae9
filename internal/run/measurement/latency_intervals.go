package measurement

import "fmt"

// maxLatencyIntervals bounds the intervals for which a measurement holds a histogram, of 200 kB each.
const maxLatencyIntervals = 60

// LatencyIntervals holds the percentiles of the successful requests that started in each interval of the window, in
// milliseconds. A percentile is Missing if fewer than ten latencies of its interval lie above it. The last interval may be
// shorter.
type LatencyIntervals struct {
	IntervalSeconds int    `json:"intervalSeconds"`
	P50             Series `json:"p50Millis"`
	P95             Series `json:"p95Millis"`
	P99             Series `json:"p99Millis"`
}

// LatencyInterval holds the requests that started in an interval of the window: the latencies of those that succeeded, and how many failed
// or did not end.
type LatencyInterval struct {
	Latencies *Histogram
	Failed    int64
}

// intervalHistograms sums the histograms of the workers by interval.
type intervalHistograms struct {
	// workerSeconds is the length of the workers' intervals, of which each histogram covers several.
	workerSeconds, workerIntervals, perHistogram int
	parts                                        []LatencyInterval
	// unknown is set if the histograms would lack the requests of a worker.
	unknown bool
}

// addIntervals adds the intervals of a worker. The sum is unknown if a worker with latencies or errors has no intervals or others
// than the workers before.
func (s *intervalHistograms) addIntervals(w *WorkerResult, latencies int64) error {
	if latencies == 0 && len(w.Errors) == 0 || s.unknown {
		return nil
	}
	n := len(w.Intervals)
	if s.parts == nil && n > 0 {
		s.workerSeconds, s.workerIntervals, s.perHistogram = w.IntervalSeconds, n, (n+maxLatencyIntervals-1)/maxLatencyIntervals
		for range (n + s.perHistogram - 1) / s.perHistogram {
			s.parts = append(s.parts, LatencyInterval{Latencies: NewHistogram()})
		}
	}
	if n == 0 || n != s.workerIntervals || w.IntervalSeconds != s.workerSeconds {
		*s = intervalHistograms{unknown: true}
		return nil
	}
	for i, interval := range w.Intervals {
		h, err := DecodeHistogram(interval.Histogram)
		if err != nil {
			return fmt.Errorf("intervals[%d]: %w", i, err)
		}
		part := &s.parts[i/s.perHistogram]
		if err := part.Latencies.Merge(h); err != nil {
			return fmt.Errorf("intervals[%d]: %w", i, err)
		}
		for _, e := range interval.Errors {
			part.Failed += e.Count
		}
	}
	return nil
}

// LatencyIntervals returns the percentiles by interval, or nil if they are unknown.
func (m *Measurement) LatencyIntervals() *LatencyIntervals {
	seconds, parts := m.IntervalLatencies()
	if len(parts) == 0 {
		return nil
	}
	l := &LatencyIntervals{IntervalSeconds: seconds}
	for _, part := range parts {
		latency := part.Latencies.summarizeLatency()
		latency.DropUnsupported(part.Latencies.Count())
		l.P50 = append(l.P50, ValueOrMissing(latency.P50))
		l.P95 = append(l.P95, ValueOrMissing(latency.P95))
		l.P99 = append(l.P99, ValueOrMissing(latency.P99))
	}
	return l
}

// IntervalLatencies returns the length of an interval, of which the last may be shorter, and the requests of each; none if they are unknown.
func (m *Measurement) IntervalLatencies() (seconds int, parts []LatencyInterval) {
	return m.intervals.workerSeconds * m.intervals.perHistogram, m.intervals.parts
}
