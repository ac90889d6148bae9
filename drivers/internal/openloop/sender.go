// Package openloop submits operations in an open loop: the schedule of batches does not depend on responses. It follows
// the blocks of the chain, and records the outcomes in the result of the worker.
package openloop

import (
	"context"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/run/batches"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// answerTimeout is how long to wait for the response to a batch.
const answerTimeout = 30 * time.Second

// Sender submits flights, each of which is one operation, to one node.
type Sender[Flight any] struct {
	batches.Sender
	// Limit is the maximum number of flights in one submission.
	Limit int
	// Clients bounds the outstanding batches of the schedule.
	Clients int
	// Take returns the next n flights, or fewer and the reason.
	Take func(ctx context.Context, n int) ([]Flight, error)
	// MarkSent is called before the submission of flights whose operations were due at a time, because a block may
	// arrive before the response.
	MarkSent func(flights []Flight, due, now time.Time)
	// Submit submits flights. It returns an error for each flight that the node rejected, or the error of the whole
	// submission.
	Submit func(ctx context.Context, flights []Flight) ([]error, error)
	// HandleAnswers receives what Submit returned. It returns the number of accepted flights.
	HandleAnswers func(flights []Flight, refusals []error, whole error, now time.Time) int

	recorder *Recorder
	target   *TargetSeries
	// clients holds an element for each batch that is outstanding.
	clients chan struct{}
	// busyUntil is the end of the last time in which a batch waited because all clients were busy.
	busyUntil time.Time
}

// Run submits the operations that are due from the start to the end of the window, which may become earlier
// meanwhile. While all clients are busy, batches wait. It catches up on late batches until ctx ends, and then waits
// for the responses.
func (s *Sender[_]) Run(ctx context.Context, window *protocol.Window, recorder *Recorder, target *TargetSeries) {
	s.recorder, s.target, s.clients = recorder, target, make(chan struct{}, s.Clients)
	var answers sync.WaitGroup
	defer answers.Wait()
	nextSize := s.BatchSizes()
	for i := range s.BatchesBefore(window.To().Sub(window.LoadStart())) {
		due, n := window.LoadStart().Add(s.Offset+time.Duration(i)*s.Interval), nextSize()
		if n == 0 {
			continue
		}
		SleepUntil(ctx, due)
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
func (s *Sender[_]) awaitClient(ctx context.Context) bool {
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
func (s *Sender[_]) recordStart(due time.Time, n int64, now time.Time) {
	free := due
	if s.busyUntil.After(due) {
		free = s.busyUntil
		s.recorder.RecordClientWait(due, n, free.Sub(due))
	}
	s.recorder.RecordPlanned(due, n, now.Sub(free))
}

// failSkipped records operations that are never submitted.
func (s *Sender[_]) failSkipped(due time.Time, n int64) {
	now := time.Now()
	s.recordStart(due, n, now)
	s.recorder.RecordFailures(due, n, now, measurement.Unfinished, "it was not submitted before the end of the drain")
}

// submitBatch submits the operations that are due at one time. It splits them by the node's batch limit and
// sends all parts at once.
func (s *Sender[Flight]) submitBatch(ctx context.Context, due time.Time, n int64, answers *sync.WaitGroup, done func()) {
	flights, err := s.Take(ctx, int(n))
	now := time.Now()
	s.recordStart(due, n, now)
	if err != nil {
		s.recorder.RecordFailures(due, n-int64(len(flights)), now, measurement.Unfinished, err.Error())
	}
	s.MarkSent(flights, due, now)
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

func (s *Sender[Flight]) submitPart(ctx context.Context, flights []Flight) {
	bounded, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	began := time.Now()
	refusals, err := s.Submit(bounded, flights)
	if ctx.Err() != nil {
		// The run is over. Operations that no block includes are unfinished.
		return
	}
	now := time.Now()
	s.target.recordAnswer(now, now.Sub(began), s.HandleAnswers(flights, refusals, err, now))
}
