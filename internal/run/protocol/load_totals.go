package protocol

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// LatencyBucketMicros holds the upper bounds of the buckets of LoadTotals.LatencyCounts in microseconds, four per
// decade from 1 ms to 60 s. A further bucket counts all longer latencies.
var LatencyBucketMicros = [...]int64{
	1_000, 1_800, 3_200, 5_600, 10_000, 18_000, 32_000, 56_000, 100_000, 180_000, 320_000, 560_000,
	1_000_000, 1_800_000, 3_200_000, 5_600_000, 10_000_000, 18_000_000, 32_000_000, 60_000_000,
}

// MaxErrorKinds bounds the kinds of errors in LoadTotals. Errors of further kinds count as measurement.OtherErrors.
const MaxErrorKinds = 20

// maxKindChars bounds the name of a kind of errors, in characters.
const maxKindChars = 200

// LoadTotals counts the operations that have ended since the start of the load, the warm-up included. No count ever
// decreases. It is for watching a run; the result has exact latencies.
type LoadTotals struct {
	// LatencyCounts counts the successes in each bucket of LatencyBucketMicros, and in the one above.
	LatencyCounts []int64 `json:"latencyCounts"`
	// LatencySumMicros is the sum of their latencies.
	LatencySumMicros int64 `json:"latencySumMicros"`
	// Errors counts the failures by kind.
	Errors map[string]int64 `json:"errors,omitempty"`
}

// NewLoadTotals returns totals without operations.
func NewLoadTotals() *LoadTotals {
	return &LoadTotals{LatencyCounts: make([]int64, len(LatencyBucketMicros)+1), Errors: map[string]int64{}}
}

// AddCompleted counts a success.
func (t *LoadTotals) AddCompleted(latency time.Duration) {
	micros := max(0, latency.Microseconds())
	i := sort.Search(len(LatencyBucketMicros), func(i int) bool { return micros <= LatencyBucketMicros[i] })
	t.LatencyCounts[i]++
	t.LatencySumMicros += micros
}

// AddFailed counts n failures. It truncates the kind to 200 characters.
func (t *LoadTotals) AddFailed(kind string, n int64) {
	if characters := []rune(kind); len(characters) > maxKindChars {
		kind = string(characters[:maxKindChars])
	}
	if _, known := t.Errors[kind]; !known && len(t.Errors) >= MaxErrorKinds {
		kind = measurement.OtherErrors
	}
	t.Errors[kind] += n
}

// Clone returns a copy.
func (t *LoadTotals) Clone() *LoadTotals {
	return &LoadTotals{LatencyCounts: slices.Clone(t.LatencyCounts), LatencySumMicros: t.LatencySumMicros, Errors: maps.Clone(t.Errors)}
}

// Since returns what has ended since earlier totals of the same load, without errors.
func (t *LoadTotals) Since(earlier *LoadTotals) *LoadTotals {
	since := NewLoadTotals()
	for i := range t.LatencyCounts {
		since.LatencyCounts[i] = max(0, t.LatencyCounts[i]-earlier.LatencyCounts[i])
	}
	since.LatencySumMicros = max(0, t.LatencySumMicros-earlier.LatencySumMicros)
	return since
}

// Completed returns the number of successes.
func (t *LoadTotals) Completed() int64 {
	var all int64
	for _, n := range t.LatencyCounts {
		all += n
	}
	return all
}

// QuantileMicros returns the latency in microseconds below which the share of the successes lies, interpolated
// within its bucket, or 0 without successes. It is at most the highest bound.
func (t *LoadTotals) QuantileMicros(share float64) int64 {
	rank, below := share*float64(t.Completed()), int64(0)
	for i, upper := range LatencyBucketMicros {
		n := t.LatencyCounts[i]
		if n > 0 && float64(below+n) >= rank {
			lower := int64(0)
			if i > 0 {
				lower = LatencyBucketMicros[i-1]
			}
			return lower + int64(math.Round((rank-float64(below))/float64(n)*float64(upper-lower)))
		}
		below += n
	}
	if rank == 0 {
		return 0
	}
	return LatencyBucketMicros[len(LatencyBucketMicros)-1]
}

// Validate returns an error unless a driver's totals have every bucket, no count below 0 and at most MaxErrorKinds
// kinds beside measurement.OtherErrors.
func (t *LoadTotals) Validate() error {
	switch {
	case len(t.LatencyCounts) != len(LatencyBucketMicros)+1:
		return fmt.Errorf("totals.latencyCounts: has %d counts, want %d", len(t.LatencyCounts), len(LatencyBucketMicros)+1)
	case slices.Min(t.LatencyCounts) < 0:
		return fmt.Errorf("totals.latencyCounts: %d is negative", slices.Min(t.LatencyCounts))
	case t.LatencySumMicros < 0:
		return fmt.Errorf("totals.latencySumMicros: %d is negative", t.LatencySumMicros)
	case len(t.Errors) > MaxErrorKinds+1:
		return fmt.Errorf("totals.errors: has %d kinds, want at most %d and %s", len(t.Errors), MaxErrorKinds, measurement.OtherErrors)
	}
	for kind, n := range t.Errors {
		if n < 0 || len([]rune(kind)) > maxKindChars {
			return fmt.Errorf("totals.errors: %d of kind %.50q; want a count from 0 and a kind of at most %d characters", n, kind, maxKindChars)
		}
	}
	return nil
}
