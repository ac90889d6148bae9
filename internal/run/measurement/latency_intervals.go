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

// intervalHistograms sums the histograms of the workers by interval.
type intervalHistograms struct {
	// workerSeconds is the length of the workers' intervals, of which each histogram covers several.
	workerSeconds, workerIntervals, perHistogram int
	histograms                                   []*Histogram
	// unknown is set if the histograms would lack the requests of a worker.
	unknown bool
}

// addIntervals adds the intervals of a worker. The sum is unknown if a worker with latencies has no intervals or others
// than the workers before.
func (s *intervalHistograms) addIntervals(w *WorkerResult, latencies int64) error {
	if latencies == 0 || s.unknown {
		return nil
	}
	n := len(w.Intervals)
	if s.histograms == nil && n > 0 {
		s.workerSeconds, s.workerIntervals, s.perHistogram = w.IntervalSeconds, n, (n+maxLatencyIntervals-1)/maxLatencyIntervals
		for range (n + s.perHistogram - 1) / s.perHistogram {
			s.histograms = append(s.histograms, NewHistogram())
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
		if err := s.histograms[i/s.perHistogram].Merge(h); err != nil {
			return fmt.Errorf("intervals[%d]: %w", i, err)
		}
	}
	return nil
}

// LatencyIntervals returns the percentiles by interval, or nil if they are unknown.
func (m *Measurement) LatencyIntervals() *LatencyIntervals {
	s := &m.intervals
	if len(s.histograms) == 0 {
		return nil
	}
	l := &LatencyIntervals{IntervalSeconds: s.workerSeconds * s.perHistogram}
	for _, h := range s.histograms {
		latency := h.summarizeLatency()
		latency.DropUnsupported(h.Count())
		l.P50 = append(l.P50, ValueOrMissing(latency.P50))
		l.P95 = append(l.P95, ValueOrMissing(latency.P95))
		l.P99 = append(l.P99, ValueOrMissing(latency.P99))
	}
	return l
}
