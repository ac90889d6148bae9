package evm

import (
	"math/rand/v2"
	"time"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Sender is one of the senders of a run. It submits to one target and has its own accounts.
type Sender struct {
	// Index is the index over all workers.
	Index int
	// Target is the index of the target.
	Target int
	// Accounts are the sender's accounts, as ascending indices into the sequence derived from the seed.
	Accounts []int
	// RatePerSecond is the sender's rate in transactions per second.
	RatePerSecond float64
	// Interval is the time between two batches. Offset is the delay of the first batch, which staggers the
	// senders.
	Interval, Offset time.Duration
	// arrivalSeed seeds Poisson arrivals; nil means even ones.
	arrivalSeed *int64
}

// SenderCount returns the number of senders of a run with the given number of workers: one for each target or
// one for each worker, whichever is more.
func (w *Workload) SenderCount(workers int) int { return max(len(w.Targets), workers) }

// WorkerSenders returns the senders of one of the given number of workers. Sender s belongs to worker s mod
// workers and submits to target s mod targets. Every target gets the same rate, which its senders share.
// Account i belongs to sender i mod senders.
func (w *Workload) WorkerSenders(worker, workers int) []Sender {
	var share []Sender
	n := w.SenderCount(workers)
	for s := worker; s < n; s += workers {
		share = append(share, w.buildSender(s, n))
	}
	return share
}

func (w *Workload) buildSender(s, n int) Sender {
	targets := len(w.Targets)
	target := s % targets
	// The number of the n senders that submit to this target.
	sharing := (n-target-1)/targets + 1
	sender := Sender{Index: s, Target: target, RatePerSecond: w.Load.RatePerSecond / float64(targets) / float64(sharing)}
	if w.Load.Arrivals == protocol.ArrivalsPoisson {
		sender.arrivalSeed = w.Load.Seed
	}
	for i := s; i < w.Operation.Accounts; i += n {
		sender.Accounts = append(sender.Accounts, i)
	}
	sender.Interval = time.Duration(w.Operation.BatchIntervalMillis) * time.Millisecond
	if sender.Interval == 0 {
		sender.Interval = time.Duration(float64(w.Operation.BatchSize) / sender.RatePerSecond * float64(time.Second))
	}
	sender.Offset = time.Duration(float64(sender.Interval) * float64(s) / float64(n))
	return sender
}

// BatchSizes returns a function that yields the number of transactions in each batch in turn. Each call starts at the
// first batch and repeats the same numbers.
func (s Sender) BatchSizes() func() int64 {
	mean, batches := s.RatePerSecond*s.Interval.Seconds(), 0.0
	if s.arrivalSeed != nil {
		return poissonBatchSizes(mean, rand.New(rand.NewPCG(uint64(*s.arrivalSeed), uint64(s.Index))))
	}
	// The small constant keeps whole products whole: 8000/s every 200 ms is 1600, not 1599.
	due := func(batches float64) int64 { return int64(batches*mean + 1e-6) }
	return func() int64 {
		batches++
		return due(batches) - due(batches-1)
	}
}

// poissonBatchSizes returns a function that yields the number of arrivals of a Poisson process in each interval in
// turn, with a mean per interval.
func poissonBatchSizes(mean float64, generator *rand.Rand) func() int64 {
	// next is the time of the next arrival, from the start of the current interval in units of intervals.
	next := generator.ExpFloat64() / mean
	return func() int64 {
		n := int64(0)
		for ; next < 1; next += generator.ExpFloat64() / mean {
			n++
		}
		next--
		return n
	}
}

// BatchTotals returns the number of transactions in the batches that are due before the given time from the start,
// and in the largest of them.
func (s Sender) BatchTotals(span time.Duration) (total, largest int64) {
	nextSize := s.BatchSizes()
	for range s.BatchesBefore(span) {
		n := nextSize()
		total, largest = total+n, max(largest, n)
	}
	return total, largest
}

// BatchesBefore returns the number of the sender's batches that are due before the given time from the start.
func (s Sender) BatchesBefore(span time.Duration) int64 {
	if span <= s.Offset {
		return 0
	}
	return int64((span-s.Offset-1)/s.Interval) + 1
}
