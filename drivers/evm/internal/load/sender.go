// Package load submits transfers in an open loop: the schedule of batches does not depend on responses. It tracks each transfer up
// to the block that includes it, and records the outcomes in the result of the worker.
package load

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transfer"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// answerTimeout is how long to wait for the response to a batch.
const answerTimeout = 30 * time.Second

// Sender submits to one member from its own accounts.
type Sender struct {
	evm.Sender
	Node *member.Node
	// Limit is the maximum number of calls in one JSON-RPC batch.
	Limit int
	// Clients bounds the outstanding batches of the schedule.
	Clients int
	// Signed yields signed transfers in nonce order.
	Signed  <-chan *transfer.Transfer
	Tracker *Tracker

	recorder *Recorder
	target   *TargetSeries
	// clients holds an element for each batch that is outstanding.
	clients chan struct{}
	// busyUntil is the end of the last time in which a batch waited because all clients were busy.
	busyUntil time.Time
	mu        sync.Mutex
	toResend  []*Flight
}

// errSigningEnded means that there are no more signed transfers.
var errSigningEnded = errors.New("signing ended early")

// Run submits the transfers that are due from the start to the end of the window, which may become earlier
// meanwhile. While all clients are busy, batches wait. It catches up on late batches until ctx ends, and then waits
// for the responses.
func (s *Sender) Run(ctx context.Context, window *protocol.Window, recorder *Recorder, target *TargetSeries) {
	s.recorder, s.target, s.clients = recorder, target, make(chan struct{}, s.Clients)
	var answers sync.WaitGroup
	defer answers.Wait()
	nextSize := s.BatchSizes()
	for i := range s.BatchesBefore(window.To().Sub(window.LoadStart())) {
		due, n := window.LoadStart().Add(s.Offset+time.Duration(i)*s.Interval), nextSize()
		if n == 0 {
			continue
		}
		sleepUntil(ctx, due)
		if !due.Before(window.To()) {
			return
		}
		if ctx.Err() != nil || !s.awaitClient(ctx) {
			s.failSkipped(due, n)
			continue
		}
		s.submitBatch(ctx, due, n, &answers, func() { <-s.clients })
	}
}

// awaitClient waits until a client is free and occupies it. It returns false if ctx ends first.
func (s *Sender) awaitClient(ctx context.Context) bool {
	select {
	case s.clients <- struct{}{}:
		return true
	default:
	}
	defer func() { s.busyUntil = time.Now() }()
	select {
	case s.clients <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// recordStart records operations that were due at a time and are submitted, or given up, now. The part of the delay
// in which all clients were busy is not the driver's.
func (s *Sender) recordStart(due time.Time, n int64, now time.Time) {
	free := due
	if s.busyUntil.After(due) {
		free = s.busyUntil
		s.recorder.RecordClientWait(due, n, free.Sub(due))
	}
	s.recorder.RecordPlanned(due, n, now.Sub(free))
}

// failSkipped records operations that are never submitted.
func (s *Sender) failSkipped(due time.Time, n int64) {
	now := time.Now()
	s.recordStart(due, n, now)
	s.recorder.RecordFailures(due, n, now, measurement.Unfinished, "it was not submitted before the end of the drain")
}

// submitBatch submits the operations that are due at one time. It splits them by the node's batch limit and
// sends all parts at once.
func (s *Sender) submitBatch(ctx context.Context, due time.Time, n int64, answers *sync.WaitGroup, done func()) {
	flights, err := s.takeFlights(ctx, n)
	now := time.Now()
	s.recordStart(due, n, now)
	if err != nil {
		s.recorder.RecordFailures(due, n-int64(len(flights)), now, measurement.Unfinished, err.Error())
	}
	s.Tracker.MarkSent(flights, due, now)
	s.target.recordSent(now, len(flights))
	var parts sync.WaitGroup
	for from := 0; from < len(flights); from += s.Limit {
		part := flights[from:min(from+s.Limit, len(flights))]
		parts.Go(func() { s.submitPart(ctx, part) })
	}
	answers.Go(func() {
		parts.Wait()
		done()
	})
}

// takeFlights returns n transfers: first those to resend, then new ones.
func (s *Sender) takeFlights(ctx context.Context, n int64) ([]*Flight, error) {
	flights := s.takeResends(int(n))
	for int64(len(flights)) < n {
		select {
		case t, open := <-s.Signed:
			if !open {
				return flights, errSigningEnded
			}
			flights = append(flights, &Flight{Transfer: t, Sender: s.Index})
		case <-ctx.Done():
			return flights, errors.New("it was not signed before the end of the drain")
		}
	}
	return flights, nil
}

func (s *Sender) takeResends(n int) []*Flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	flights := make([]*Flight, 0, n)
	usable := s.Tracker.FilterNotIncluded(s.toResend)
	n = min(n, len(usable))
	s.toResend = usable[n:]
	return append(flights, usable[:n]...)
}

func (s *Sender) submitPart(ctx context.Context, flights []*Flight) {
	bounded, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	transfers := make([]*transfer.Transfer, len(flights))
	for i, f := range flights {
		transfers[i] = f.Transfer
	}
	began := time.Now()
	refusals, err := s.Node.Submit(bounded, transfers)
	if ctx.Err() != nil {
		// The run is over. Transfers that no block includes are unfinished.
		return
	}
	now := time.Now()
	again, accepted := s.Tracker.handleAnswers(flights, refusals, err, now)
	s.target.recordAnswer(now, now.Sub(began), accepted)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.toResend = append(s.toResend, again...)
}

func sleepUntil(ctx context.Context, instant time.Time) {
	timer := time.NewTimer(time.Until(instant))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
