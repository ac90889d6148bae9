// Package inclusion follows transfers from their submission to the block that holds them.
package inclusion

import (
	"errors"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transfer"
)

// OutcomeRecorder is told what became of the operations. An operation is one place in the schedule; due is when it was to begin.
type OutcomeRecorder interface {
	RecordCompleted(due, seen time.Time)
	RecordFailed(due, at time.Time, kind, example string)
}

// flightState of a flight.
type flightState int

const (
	// stateWaiting for a block.
	stateWaiting flightState = iota
	// stateRefused by the node: its operation has failed, and another one may send it again.
	stateRefused
	// stateIncluded in a block.
	stateIncluded
)

// Flight is a transfer under way. Between operations it may wait to be sent again.
type Flight struct {
	*transfer.Transfer
	// Sender whose it is.
	Sender int
	// due is zero for what belongs to no operation: the trial of the set-up.
	due, sentAt time.Time
	state       flightState
	// accepted is whether the node took it.
	accepted bool
	attempts int
}

// Tracker knows all flights of a worker.
type Tracker struct {
	outcomes OutcomeRecorder
	mu       sync.Mutex
	flights  map[common.Hash]*Flight
	// stateWaiting and included count flights; included over all time.
	waiting, included int64
}

// NewTracker knows none, and has nobody to tell: nothing it follows before Tell may belong to an operation.
func NewTracker() *Tracker { return &Tracker{flights: map[common.Hash]*Flight{}} }

// SetOutcomes names who is told from now on.
func (t *Tracker) SetOutcomes(outcomes OutcomeRecorder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outcomes = outcomes
}

// MarkSent says that flights are submitted now, for operations that were due at an instant; zero for none. It comes before the submission,
// because a block may be faster than the answer.
func (t *Tracker) MarkSent(flights []*Flight, due, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range flights {
		f.due, f.sentAt, f.state, f.accepted = due, now, stateWaiting, false
		f.attempts++
		t.flights[f.Hash] = f
		t.waiting++
	}
}

// HandleAnswers takes the node's answers to flights, or the error of the whole batch. It returns those whose nonce is still to be used,
// which are to be sent again before any later nonce of their accounts, and how many the node took.
func (t *Tracker) HandleAnswers(flights []*Flight, refusals []error, whole error, now time.Time) (again []*Flight, accepted int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range flights {
		err := whole
		if err == nil {
			err = refusals[i]
		}
		switch {
		case err == nil, f.state == stateIncluded, whole == nil && f.isKnownToNode(err):
			f.accepted = true
			accepted++
			continue
		}
		t.failFlight(f, err, now)
		if whole == nil && member.ClassifyRefusal(err) == member.NonceSpent {
			delete(t.flights, f.Hash)
			continue
		}
		again = append(again, f)
	}
	return again, accepted
}

// isKnownToNode is whether a refusal says that the node, or a block, has the flight already from an earlier attempt.
func (f *Flight) isKnownToNode(err error) bool {
	switch member.ClassifyRefusal(err) {
	case member.AlreadyKnown:
		return true
	case member.NonceSpent:
		return f.attempts > 1
	}
	return false
}

func (t *Tracker) failFlight(f *Flight, err error, now time.Time) {
	f.state = stateRefused
	t.waiting--
	if !f.due.IsZero() {
		t.outcomes.RecordFailed(f.due, now, member.ErrorKind(err), err.Error())
	}
}

// FilterNotIncluded lists those of the flights that no block holds yet.
func (t *Tracker) FilterNotIncluded(flights []*Flight) []*Flight {
	t.mu.Lock()
	defer t.mu.Unlock()
	var waits []*Flight
	for _, f := range flights {
		if f.state != stateIncluded {
			waits = append(waits, f)
		}
	}
	return waits
}

// MarkIncluded says that a block holds the transactions, and when that was seen.
func (t *Tracker) MarkIncluded(hashes []common.Hash, seen time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, hash := range hashes {
		f, ours := t.flights[hash]
		if !ours {
			continue
		}
		delete(t.flights, hash)
		t.included++
		if f.state == stateWaiting {
			t.waiting--
			if !f.due.IsZero() {
				t.outcomes.RecordCompleted(f.due, seen)
			}
		}
		f.state = stateIncluded
	}
}

// Counts are how many flights wait for a block, and how many are in one.
func (t *Tracker) Counts() (waiting, included int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting, t.included
}

// errUnfinished is the example of what no block held in time.
var errUnfinished = errors.New("no block held it before the drain ended")

// FailWaiting fails what still waits, with a kind.
func (t *Tracker) FailWaiting(kind string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for hash, f := range t.flights {
		if f.state == stateWaiting && !f.due.IsZero() {
			t.outcomes.RecordFailed(f.due, now, kind, errUnfinished.Error())
		}
		delete(t.flights, hash)
	}
	t.waiting = 0
}
