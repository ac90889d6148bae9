package measurement

import (
	"slices"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// Silence is a part of the window in which a worker reported neither a completion nor a failure.
type Silence struct {
	// From is the first second of the window, Seconds the length.
	From    int `json:"from"`
	Seconds int `json:"seconds"`
	// MedianGap is the median distance of two seconds with completions or failures.
	MedianGap int `json:"medianGap"`
}

// longestSilence returns the longest silence of a worker, or nil if it is shorter than two seconds.
func (w *WorkerResult) longestSilence() *Silence {
	ended := slices.Clone(w.CompletedPerSecond)
	for i, n := range w.FailedPerSecond {
		ended[i] += n
	}
	seconds, from := statistics.LongestGap(ended)
	if seconds < 2 {
		return nil
	}
	return &Silence{From: from, Seconds: seconds, MedianGap: statistics.MedianGap(statistics.Floats(ended))}
}
