// Package load submits transfers in an open loop: batches on a schedule that does not wait for answers.
package load

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/inclusion"
	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/record"
	"github.com/benchnet/benchnet/drivers/evm/internal/transfer"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/evm"
	"github.com/benchnet/benchnet/internal/results"
)

// BackPressure is the kind of error of operations that were not submitted because too many batches were outstanding.
const BackPressure = "BackPressure"

// answerTimeout is how long an answer to a batch is waited for.
const answerTimeout = 30 * time.Second

// Sender submits to one member, from accounts of its own.
type Sender struct {
	evm.Sender
	Node *member.Node
	// Limit of calls in one JSON-RPC batch.
	Limit int
	// Clients bounds the batches of the schedule that are outstanding.
	Clients int
	// Signed transfers in the order of their nonces.
	Signed  <-chan *transfer.Transfer
	Tracker *inclusion.Tracker

	recorder *record.Recorder
	target   *record.Target
	mu       sync.Mutex
	again    []*inclusion.Flight
}

// errDry says that there are no more signed transfers.
var errDry = errors.New("signing ended early")

// Run submits what is due from the start until the window ends, wherever that is by then, catches up until ctx ends, and waits for the answers.
func (s *Sender) Run(ctx context.Context, window *protocol.Window, recorder *record.Recorder, target *record.Target) {
	s.recorder, s.target = recorder, target
	var answers sync.WaitGroup
	defer answers.Wait()
	outstanding := make(chan struct{}, s.Clients)
	batches := s.Batches(window.To().Sub(window.Start()))
	for i := range batches {
		due, n := window.Start().Add(s.Offset+time.Duration(i)*s.Interval), s.Due(i+1)-s.Due(i)
		if n == 0 {
			continue
		}
		sleepUntil(ctx, due)
		if !due.Before(window.To()) {
			return
		}
		if ctx.Err() != nil {
			s.skip(due, n, results.Unfinished, "it was not submitted before the drain ended")
			continue
		}
		select {
		case outstanding <- struct{}{}:
		default:
			s.skip(due, n, BackPressure, "not submitted: as many batches as load.clients were unanswered")
			continue
		}
		s.batch(ctx, due, n, &answers, func() { <-outstanding })
	}
}

// skip fails operations that are not submitted.
func (s *Sender) skip(due time.Time, n int64, kind, why string) {
	s.recorder.Planned(due, n, 0)
	s.recorder.FailedAll(due, n, time.Now(), kind, why)
}

// batch submits the operations of one instant in as many JSON-RPC batches as the node's limit makes of them, all at once.
func (s *Sender) batch(ctx context.Context, due time.Time, n int64, answers *sync.WaitGroup, done func()) {
	flights, err := s.draw(ctx, n)
	now := time.Now()
	s.recorder.Planned(due, n, now.Sub(due))
	if err != nil {
		s.recorder.FailedAll(due, n-int64(len(flights)), now, results.Unfinished, err.Error())
	}
	s.Tracker.Sent(flights, due, now)
	s.target.Sent(now, len(flights))
	var parts sync.WaitGroup
	for from := 0; from < len(flights); from += s.Limit {
		part := flights[from:min(from+s.Limit, len(flights))]
		parts.Go(func() { s.submit(ctx, part) })
	}
	answers.Go(func() {
		parts.Wait()
		done()
	})
}

// draw takes n transfers: first those to be sent again, then new ones.
func (s *Sender) draw(ctx context.Context, n int64) ([]*inclusion.Flight, error) {
	flights := s.takeAgain(int(n))
	for int64(len(flights)) < n {
		select {
		case t, open := <-s.Signed:
			if !open {
				return flights, errDry
			}
			flights = append(flights, &inclusion.Flight{Transfer: t, Sender: s.Index})
		case <-ctx.Done():
			return flights, errors.New("it was not signed before the drain ended")
		}
	}
	return flights, nil
}

func (s *Sender) takeAgain(n int) []*inclusion.Flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	flights := make([]*inclusion.Flight, 0, n)
	usable := s.Tracker.Waiting(s.again)
	n = min(n, len(usable))
	s.again = usable[n:]
	return append(flights, usable[:n]...)
}

func (s *Sender) submit(ctx context.Context, flights []*inclusion.Flight) {
	bounded, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	transfers := make([]*transfer.Transfer, len(flights))
	for i, f := range flights {
		transfers[i] = f.Transfer
	}
	began := time.Now()
	refusals, err := s.Node.Submit(bounded, transfers)
	if ctx.Err() != nil {
		// The run is over; what no block holds is unfinished.
		return
	}
	now := time.Now()
	again, accepted := s.Tracker.Answered(flights, refusals, err, now)
	s.target.Answered(now, now.Sub(began), accepted)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again = append(s.again, again...)
}

func sleepUntil(ctx context.Context, instant time.Time) {
	timer := time.NewTimer(time.Until(instant))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
