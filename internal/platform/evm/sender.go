package evm

import (
	"math"
	"time"
)

// Sender is one of the senders of a run. It submits to one target, and its accounts are its own.
type Sender struct {
	// Index over all workers.
	Index int
	// Target is the index of the target.
	Target int
	// Accounts of the sender, by their index in the seed's sequence; ascending.
	Accounts []int
	// RatePerSecond of the sender's transactions.
	RatePerSecond float64
	// Interval from one batch to the next, and Offset of the first from the start: senders take turns.
	Interval, Offset time.Duration
}

// SenderCount is how many senders a run of so many workers has: one for each target, or one for each worker where there are more workers.
func (w *WorkloadFile) SenderCount(workers int) int { return max(len(w.Targets), workers) }

// WorkerSenders lists the senders of one worker among all workers. Sender s belongs to worker s mod workers and submits to target s mod
// targets; every target gets the same rate, which its senders share. Account i is sender (i mod senders)'s.
func (w *WorkloadFile) WorkerSenders(worker, workers int) []Sender {
	var share []Sender
	n := w.SenderCount(workers)
	for s := worker; s < n; s += workers {
		share = append(share, w.buildSender(s, n))
	}
	return share
}

func (w *WorkloadFile) buildSender(s, n int) Sender {
	targets := len(w.Targets)
	target := s % targets
	// How many of the n senders submit to this target.
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

// TransactionsDue is how many transactions the sender is to submit in its first n batches.
func (s Sender) TransactionsDue(n int64) int64 {
	// The small constant keeps whole products whole: 8000/s every 200 ms is 1600, not 1599.
	return int64(float64(n)*s.RatePerSecond*s.Interval.Seconds() + 1e-6)
}

// MaxBatchSize is how many transactions the largest batch of the sender has.
func (s Sender) MaxBatchSize() int {
	return int(math.Ceil(s.RatePerSecond*s.Interval.Seconds() - 1e-6))
}

// BatchesBefore is how many batches of the sender are due before the end of a span from the start.
func (s Sender) BatchesBefore(span time.Duration) int64 {
	if span <= s.Offset {
		return 0
	}
	return int64((span-s.Offset-1)/s.Interval) + 1
}
