package batches

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

func newPlan(targets int, rate float64, size, interval int) Plan {
	return Plan{Load: &protocol.OfferedLoad{RatePerSecond: rate}, Targets: targets, Size: size, IntervalMillis: interval}
}

func TestBatchesFollowTheRate(t *testing.T) {
	for _, c := range []struct {
		rate           float64
		size, interval int
		every          time.Duration
		first          []int64
	}{
		{8000, 0, 200, 200 * time.Millisecond, []int64{1600, 1600, 1600}},
		{8000, 800, 0, 100 * time.Millisecond, []int64{800, 800, 800}},
		{8000, 1600, 200, 200 * time.Millisecond, []int64{1600, 1600, 1600}},
		{7, 0, 200, 200 * time.Millisecond, []int64{1, 1, 2, 1, 2}},
		{0.5, 1, 0, 2 * time.Second, []int64{1, 1}},
		{1, 0, 200, 200 * time.Millisecond, []int64{0, 0, 0, 0, 1, 0}},
	} {
		s := newPlan(1, c.rate, c.size, c.interval).WorkerSenders(0, 1)[0]
		if s.Interval != c.every {
			t.Errorf("%+v: a batch every %v", c, s.Interval)
		}
		if total, largest := s.BatchTotals(20 * time.Second); largest != slices.Max(c.first) || total != int64(20*c.rate) {
			t.Errorf("%+v: %d operations in 20 s, the largest batch has %d", c, total, largest)
		}
		nextSize := s.BatchSizes()
		for i, want := range c.first {
			if got := nextSize(); got != want {
				t.Errorf("%+v: batch %d has %d, want %d", c, i, got, want)
			}
		}
	}
}

// TestPoissonBatches checks mean and variance of the batches, that senders are independent, and that a seed repeats them.
func TestPoissonBatches(t *testing.T) {
	w := newPlan(2, 100, 0, 200)
	w.Load.Arrivals, w.Load.Seed = protocol.ArrivalsPoisson, new(int64(7))
	senders := w.WorkerSenders(0, 1)
	const batches, mean = 10_000, 10.0
	var sums, squares [2]float64
	product := 0.0
	first, second, again := senders[0].BatchSizes(), senders[1].BatchSizes(), senders[0].BatchSizes()
	for range batches {
		a, b := float64(first()), float64(second())
		if repeated := float64(again()); repeated != a {
			t.Fatalf("a batch of %g is repeated with %g", a, repeated)
		}
		for i, n := range []float64{a, b} {
			sums[i] += n
			squares[i] += (n - mean) * (n - mean)
		}
		product += (a - mean) * (b - mean)
	}
	// Five standard deviations of the mean, the variance and the covariance of 10,000 Poisson numbers.
	for i := range senders {
		if m, v := sums[i]/batches, squares[i]/batches; math.Abs(m-mean) > 0.16 || math.Abs(v-mean) > 0.75 {
			t.Errorf("sender %d: mean %g, variance %g, want %g", i, m, v, mean)
		}
	}
	if c := product / batches; math.Abs(c) > 0.5 {
		t.Errorf("covariance %g of two senders", c)
	}
	w.Load = &protocol.OfferedLoad{RatePerSecond: 100, Arrivals: protocol.ArrivalsPoisson, Seed: new(int64(8))}
	other := w.WorkerSenders(0, 1)[0].BatchSizes()
	if a, b := senders[0].BatchSizes(), other; slices.Equal([]int64{a(), a(), a(), a()}, []int64{b(), b(), b(), b()}) {
		t.Error("another seed gives the same batches")
	}
}

func TestSendersTakeTurns(t *testing.T) {
	share := newPlan(4, 100, 0, 200).WorkerSenders(0, 1)
	for i, want := range []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond, 150 * time.Millisecond} {
		if share[i].Offset != want {
			t.Errorf("sender %d begins after %v, want %v", i, share[i].Offset, want)
		}
		// All senders have the same number of batches within whole seconds.
		if got := share[i].BatchesBefore(3 * time.Second); got != 15 {
			t.Errorf("sender %d has %d batches in 3 s, want 15", i, got)
		}
	}
}

// TestSendersShareExactCounts checks that the senders of any number of workers and targets send exactly the operations of each piece of
// the rate while the piece lasts.
func TestSendersShareExactCounts(t *testing.T) {
	pieces := []protocol.RatePiece{{Seconds: 10, FromPerSecond: 20, ToPerSecond: 20}, {Seconds: 40, FromPerSecond: 20, ToPerSecond: 60},
		{Seconds: 5}, {Seconds: 10, FromPerSecond: 63.7, ToPerSecond: 63.7}}
	want := []int64{200, 1600, 0, 637}
	for _, c := range []struct{ targets, workers int }{{1, 1}, {4, 1}, {3, 3}, {3, 7}, {4, 2}, {1, 5}} {
		t.Run(fmt.Sprintf("%d targets, %d workers", c.targets, c.workers), func(t *testing.T) {
			plan := newPlan(c.targets, 0, 0, 200)
			plan.Load = &protocol.OfferedLoad{Model: "Open", Clients: 1, Rates: pieces}
			if err := plan.Validate("test"); err != nil {
				t.Fatal(err)
			}
			got := make([]int64, len(pieces))
			for worker := range c.workers {
				for _, s := range plan.WorkerSenders(worker, c.workers) {
					nextSize := s.BatchSizes()
					for i := range s.BatchesBefore(65 * time.Second) {
						due, size := s.Offset+time.Duration(i)*s.Interval, nextSize()
						if size < 0 {
							t.Fatalf("batch %d of sender %d has %d operations", i, s.Index, size)
						}
						got[pieceAt(pieces, due)] += size
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("pieces have %d operations, want %d", got, want)
			}
		})
	}
}

// pieceAt returns the index of the piece at a time.
func pieceAt(pieces []protocol.RatePiece, at time.Duration) int {
	for i, p := range pieces {
		if at -= time.Duration(p.Seconds) * time.Second; at < 0 {
			return i
		}
	}
	return len(pieces) - 1
}

// TestPoissonFollowsTheRate checks that the arrivals of each piece lie within five standard deviations of their mean.
func TestPoissonFollowsTheRate(t *testing.T) {
	pieces := []protocol.RatePiece{{Seconds: 100, FromPerSecond: 0, ToPerSecond: 100}, {Seconds: 50}, {Seconds: 100, FromPerSecond: 30, ToPerSecond: 30}}
	plan := newPlan(2, 0, 0, 200)
	plan.Load = &protocol.OfferedLoad{Rates: pieces, Arrivals: protocol.ArrivalsPoisson, Seed: new(int64(1))}
	got := make([]float64, len(pieces))
	for _, s := range plan.WorkerSenders(0, 1) {
		nextSize := s.BatchSizes()
		for i := range s.BatchesBefore(250 * time.Second) {
			got[pieceAt(pieces, s.Offset+time.Duration(i)*s.Interval)] += float64(nextSize())
		}
	}
	for i, mean := range []float64{5000, 0, 3000} {
		if math.Abs(got[i]-mean) > 5*math.Sqrt(mean) {
			t.Errorf("piece %d has %g arrivals, want about %g", i, got[i], mean)
		}
	}
}

func TestRatesNeedEvenBatches(t *testing.T) {
	for name, c := range map[string]struct{ size, interval int }{"a size": {10, 0}, "a size and an interval": {10, 200}, "an interval of 300 ms": {0, 300}} {
		t.Run(name, func(t *testing.T) {
			plan := newPlan(1, 0, c.size, c.interval)
			plan.Load = &protocol.OfferedLoad{Model: "Open", Clients: 1, Rates: []protocol.RatePiece{{Seconds: 10, FromPerSecond: 1, ToPerSecond: 1}}}
			if err := plan.Validate("test"); err == nil || !strings.HasPrefix(err.Error(), "operation.batchIntervalMillis: ") {
				t.Errorf("got %v", err)
			}
		})
	}
}
