package measurement

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// PerSecond holds the successes of the first seconds of a window.
type PerSecond struct {
	// Completed counts the requests that completed in each second.
	Completed []int64
	// LatencyMicros sums their latencies; nil if nothing recorded them.
	LatencyMicros []int64
}

// RecordLatencySum adds a latency to the sum of the second in which its request completed, whenever the request
// started. Negative latencies count as 0.
func (t *RequestRecorder) RecordLatencySum(at, latency time.Duration) {
	if !t.InWindow(at) {
		return
	}
	if t.latencyMicros == nil {
		t.latencyMicros = make([]int64, len(t.completed))
	}
	t.latencyMicros[at/time.Second] += max(0, latency.Microseconds())
}

// PerSecond returns the successes of the first seconds of the window.
func (t *RequestRecorder) PerSecond(seconds int) PerSecond {
	seconds = max(0, min(seconds, len(t.completed)))
	p := PerSecond{Completed: slices.Clone(t.completed[:seconds])}
	if t.latencyMicros != nil {
		p.LatencyMicros = slices.Clone(t.latencyMicros[:seconds])
	}
	return p
}

// validateLatencySums checks that the latencies over time, if there are any, cover the window.
func (w *WorkerResult) validateLatencySums() error {
	if n := len(w.LatencyMicrosPerSecond); n != 0 && n != w.WindowSeconds {
		return fmt.Errorf("latencyMicrosPerSecond: %d values for %d seconds", n, w.WindowSeconds)
	}
	for i, sum := range w.LatencyMicrosPerSecond {
		if sum < 0 || sum > largestLatencySum {
			return fmt.Errorf("latencyMicrosPerSecond[%d]: %d is not between 0 and %d", i, sum, largestLatencySum)
		}
	}
	return nil
}

// addLatencySums adds a worker's latencies over time. The sum is unknown if a worker with completions does not
// report them.
func (m *Measurement) addLatencySums(w *WorkerResult) {
	switch {
	case statistics.Sum(w.CompletedPerSecond) == 0:
	case len(w.LatencyMicrosPerSecond) == 0:
		m.latencySumsUnknown, m.LatencyMicros = true, nil
	case !m.latencySumsUnknown:
		if m.LatencyMicros == nil {
			m.LatencyMicros = make([]int64, m.WindowSeconds)
		}
		for i, sum := range w.LatencyMicrosPerSecond {
			m.LatencyMicros[i] += sum
		}
	}
}

// MeanLatencyMillis returns the mean latency of the requests that completed in each second, in milliseconds, or
// nil if it is unknown.
func (m *Measurement) MeanLatencyMillis() Series {
	if m.LatencyMicros == nil {
		return nil
	}
	means := make(Series, len(m.Completed))
	for i, n := range m.Completed {
		means[i] = Missing
		if n > 0 {
			means[i] = math.Round(float64(m.LatencyMicros[i])/float64(n)) / 1000
		}
	}
	return means
}
