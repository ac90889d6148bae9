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

// Outcomes is told what became of the operations. An operation is one place in the schedule; due is when it was to begin.
type Outcomes interface {
	Completed(due, seen time.Time)
	Failed(due, at time.Time, kind, example string)
}

// state of a flight.
type state int

const (
	// waiting for a block.
	waiting state = iota
	// refused by the node: its operation has failed, and another one may send it again.
	refused
	// included in a block.
	included
)

// Flight is a transfer under way. Between operations it may wait to be sent again.
type Flight struct {
	*transfer.Transfer
	// Sender whose it is.
	Sender int
	// due is zero for what belongs to no operation: the trial of the set-up.
	due, sent time.Time
	state     state
	// answered is whether the node took it.
	answered bool
	attempts int
}

// Tracker knows all flights of a worker.
type Tracker struct {
	outcomes Outcomes
	mu       sync.Mutex
	flights  map[common.Hash]*Flight
	// waiting and included count flights; included over all time.
	waiting, included int64
}

// NewTracker knows none, and has nobody to tell: nothing it follows before Tell may belong to an operation.
func NewTracker() *Tracker { return &Tracker{flights: map[common.Hash]*Flight{}} }

// Tell names who is told from now on.
func (t *Tracker) Tell(outcomes Outcomes) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outcomes = outcomes
}

// Sent says that flights are submitted now, for operations that were due at an instant; zero for none. It comes before the submission,
// because a block may be faster than the answer.
func (t *Tracker) Sent(flights []*Flight, due, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range flights {
		f.due, f.sent, f.state, f.answered = due, now, waiting, false
		f.attempts++
		t.flights[f.Hash] = f
		t.waiting++
	}
}

// Answered takes the node's answers to flights, or the error of the whole batch. It returns those whose nonce is still to be used,
// which are to be sent again before any later nonce of their accounts, and how many the node took.
func (t *Tracker) Answered(flights []*Flight, refusals []error, whole error, now time.Time) (again []*Flight, accepted int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range flights {
		err := whole
		if err == nil {
			err = refusals[i]
		}
		switch {
		case err == nil, f.state == included, whole == nil && f.known(err):
			f.answered = true
			accepted++
			continue
		}
		t.fail(f, err, now)
		if whole == nil && member.Classify(err) == member.Spent {
			delete(t.flights, f.Hash)
			continue
		}
		again = append(again, f)
	}
	return again, accepted
}

// known is whether a refusal says that the node, or a block, has the flight already from an earlier attempt.
func (f *Flight) known(err error) bool {
	switch member.Classify(err) {
	case member.Known:
		return true
	case member.Spent:
		return f.attempts > 1
	}
	return false
}

func (t *Tracker) fail(f *Flight, err error, now time.Time) {
	f.state = refused
	t.waiting--
	if !f.due.IsZero() {
		t.outcomes.Failed(f.due, now, member.Kind(err), err.Error())
	}
}

// Waiting lists those of the flights that no block holds yet.
func (t *Tracker) Waiting(flights []*Flight) []*Flight {
	t.mu.Lock()
	defer t.mu.Unlock()
	var waits []*Flight
	for _, f := range flights {
		if f.state != included {
			waits = append(waits, f)
		}
	}
	return waits
}

// Included says that a block holds the transactions, and when that was seen.
func (t *Tracker) Included(hashes []common.Hash, seen time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, hash := range hashes {
		f, ours := t.flights[hash]
		if !ours {
			continue
		}
		delete(t.flights, hash)
		t.included++
		if f.state == waiting {
			t.waiting--
			if !f.due.IsZero() {
				t.outcomes.Completed(f.due, seen)
			}
		}
		f.state = included
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

// Close fails what still waits, with a kind.
func (t *Tracker) Close(kind string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for hash, f := range t.flights {
		if f.state == waiting && !f.due.IsZero() {
			t.outcomes.Failed(f.due, now, kind, errUnfinished.Error())
		}
		delete(t.flights, hash)
	}
	t.waiting = 0
}
