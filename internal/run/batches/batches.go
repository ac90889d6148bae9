// Package batches divides an open load among senders, each of which submits batches of operations to one target.
package batches

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

// DefaultInterval is the time between two batches of a sender if neither it nor their size is configured.
const DefaultInterval = 200 * time.Millisecond

// Names of the series that each driver of batches records. Their subject is the target.
const (
	// SeriesSent is the number of operations submitted in each second. SeriesAccepted is the number that the node
	// accepted, by the second of its response.
	SeriesSent     = "sentPerSecond"
	SeriesAccepted = "acceptedPerSecond"
	// SeriesRPC is the mean latency of the JSON-RPC batches answered in each second, in milliseconds.
	SeriesRPC = "rpcMillis"
)

// Plan is an open load in batches. Its clients bound the unanswered batches of each sender.
type Plan struct {
	Load *protocol.OfferedLoad
	// Targets is the number of targets. They get equal shares of the load.
	Targets int
	// Size is the number of operations in a batch. 0 means that it follows from the rate and the interval.
	Size int
	// IntervalMillis is the time between two batches of a sender, in ms. 0 means that it follows from the rate and
	// the size.
	IntervalMillis int
}

// Validate returns an error if the driver of the given name cannot apply the load, or if rate, size and interval
// contradict each other.
func (p Plan) Validate(driver string) error {
	switch l := p.Load; {
	case p.Size < 0:
		return fmt.Errorf("operation.batchSize: %d is negative", p.Size)
	case p.IntervalMillis < 0:
		return fmt.Errorf("operation.batchIntervalMillis: %d is negative", p.IntervalMillis)
	case l == nil:
		return fmt.Errorf("load: not set; the %s driver needs one", driver)
	case l.Model != "Open":
		return fmt.Errorf("load.model: %q; the %s driver supports only Open", l.Model, driver)
	case !(l.MeanRate() > 0) || math.IsInf(l.MeanRate(), 0):
		return fmt.Errorf("load.ratePerSecond: %g is not positive", l.MeanRate())
	case len(l.Rates) > 0 && (p.Size > 0 || p.IntervalMillis == 0 || 1000%p.IntervalMillis != 0):
		return fmt.Errorf("operation.batchIntervalMillis: %d, with a batchSize of %d; with load.rates it must divide a second, and batchSize must not be set",
			p.IntervalMillis, p.Size)
	case l.Clients < 1:
		return fmt.Errorf("load.clients: %d; a sender needs at least one batch outstanding", l.Clients)
	}
	if p.Size == 0 || p.IntervalMillis == 0 {
		return nil
	}
	offered := float64(p.Targets) * float64(p.Size) * 1000 / float64(p.IntervalMillis)
	if math.Abs(offered-p.Load.RatePerSecond) > 0.001*p.Load.RatePerSecond {
		return fmt.Errorf("operation.batchSize: %d transactions every %d ms to each of %d targets are %g a second, but load.ratePerSecond is %g; "+
			"make them agree, or omit batchSize or batchIntervalMillis", p.Size, p.IntervalMillis, p.Targets, offered, p.Load.RatePerSecond)
	}
	return nil
}

// ValidateTargets returns an error unless there are targets, each with a name and the URL of a node, such as the example.
func ValidateTargets(targets []protocol.Target, isNodeURL func(address string) bool, example string) error {
	if len(targets) == 0 {
		return fmt.Errorf("targets: empty; want at least one node")
	}
	for i, t := range targets {
		if t.Name == "" {
			return fmt.Errorf("targets[%d].name: empty", i)
		}
		if !isNodeURL(t.Address) {
			return fmt.Errorf("targets[%d].address: %q is not the URL of a node; want %s", i, t.Address, example)
		}
	}
	return nil
}

// Sender is one of the senders of a run. It submits to one target.
type Sender struct {
	// Index is the index over all workers.
	Index int
	// Target is the index of the target.
	Target int
	// Interval is the time between two batches. Offset is the delay of the first batch, which staggers the
	// senders.
	Interval, Offset time.Duration

	load *protocol.OfferedLoad
	// The sender is the one of the given rank among the sharing senders of its target, which is one of targets.
	rank, sharing, targets int
}

// SenderCount returns the number of senders of a run with the given number of workers: one for each target or
// one for each worker, whichever is more.
func (p Plan) SenderCount(workers int) int { return max(p.Targets, workers) }

// WorkerSenders returns the senders of one of the given number of workers. Sender s belongs to worker s mod
// workers and submits to target s mod targets. Every target gets the same rate, which its senders share.
func (p Plan) WorkerSenders(worker, workers int) []Sender {
	var share []Sender
	n := p.SenderCount(workers)
	for s := worker; s < n; s += workers {
		share = append(share, p.buildSender(s, n))
	}
	return share
}

func (p Plan) buildSender(s, n int) Sender {
	target := s % p.Targets
	sender := Sender{Index: s, Target: target, load: p.Load, rank: s / p.Targets, sharing: (n-target-1)/p.Targets + 1, targets: p.Targets}
	sender.Interval = time.Duration(p.IntervalMillis) * time.Millisecond
	if sender.Interval == 0 {
		sender.Interval = time.Duration(float64(p.Size*p.Targets*sender.sharing) / p.Load.RatePerSecond * float64(time.Second))
	}
	sender.Offset = time.Duration(float64(sender.Interval) * float64(s) / float64(n))
	return sender
}

// BatchSizes returns a function that yields the number of operations in each batch in turn. Each call starts at the
// first batch and repeats the same numbers.
func (s Sender) BatchSizes() func() int64 {
	countDue := s.countDue
	if s.load.Arrivals == protocol.ArrivalsPoisson {
		countDue = s.newPoissonCount()
	}
	batches, before := 0, int64(0)
	return func() int64 {
		batches++
		due := countDue(s.load.CountDue(float64(batches) * s.Interval.Seconds()))
		defer func() { before = due }()
		return due - before
	}
}

// countDue returns the sender's share of the operations of all senders. The targets take turns, and so do the senders of
// a target, so that the shares add up.
func (s Sender) countDue(all float64) int64 {
	// The small constant keeps whole products whole: 8000/s every 200 ms is 1600, not 1599.
	target := (int64(all+1e-6) + int64(s.targets-1-s.Target)) / int64(s.targets)
	return (target + int64(s.sharing-1-s.rank)) / int64(s.sharing)
}

// newPoissonCount returns a function that counts the sender's arrivals while the mean number of all senders grows.
func (s Sender) newPoissonCount() func(all float64) int64 {
	generator := rand.New(rand.NewPCG(uint64(*s.load.Seed), uint64(s.Index)))
	senders := float64(s.targets * s.sharing)
	count, next := int64(0), generator.ExpFloat64()
	return func(all float64) int64 {
		for ; next < all/senders; next += generator.ExpFloat64() {
			count++
		}
		return count
	}
}

// BatchTotals returns the number of operations in the batches that are due before the given time from the start,
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
