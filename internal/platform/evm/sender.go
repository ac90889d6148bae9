package evm

import (
	"math"
	"time"
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
	beside := (n-target-1)/targets + 1
	made := Sender{Index: s, Target: target, RatePerSecond: w.Load.RatePerSecond / float64(targets) / float64(beside)}
	for i := s; i < w.Operation.Accounts; i += n {
		made.Accounts = append(made.Accounts, i)
	}
	made.Interval = time.Duration(w.Operation.BatchIntervalMillis) * time.Millisecond
	if made.Interval == 0 {
		made.Interval = time.Duration(float64(w.Operation.BatchSize) / made.RatePerSecond * float64(time.Second))
	}
	made.Offset = time.Duration(float64(made.Interval) * float64(s) / float64(n))
	return made
}

// TransactionsDue returns the number of transactions that the sender submits in its first n batches.
func (s Sender) TransactionsDue(n int64) int64 {
	// The small constant keeps whole products whole: 8000/s every 200 ms is 1600, not 1599.
	return int64(float64(n)*s.RatePerSecond*s.Interval.Seconds() + 1e-6)
}

// BatchSizes returns a function that yields the number of transactions in each batch in turn.
func (s Sender) BatchSizes() func() int64 {
	batches := int64(0)
	return func() int64 {
		batches++
		return s.TransactionsDue(batches) - s.TransactionsDue(batches-1)
	}
}

// MaxBatchSize returns the number of transactions in the sender's largest batch.
func (s Sender) MaxBatchSize() int {
	return int(math.Ceil(s.RatePerSecond*s.Interval.Seconds() - 1e-6))
}

// BatchesBefore returns the number of the sender's batches that are due before the given time from the start.
func (s Sender) BatchesBefore(span time.Duration) int64 {
	if span <= s.Offset {
		return 0
	}
	return int64((span-s.Offset-1)/s.Interval) + 1
}
