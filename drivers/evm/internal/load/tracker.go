package load

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/internal/platform/evm"
)

// outcomeRecorder receives the outcomes of operations. An operation is one place in the schedule, and due is
// its scheduled time.
type outcomeRecorder interface {
	RecordCompleted(due, seen time.Time)
	RecordFailed(due, at time.Time, kind, example string)
	RecordLabel(due, ended time.Time, label string, failed bool)
}

// flightState is the state of a flight.
type flightState int

const (
	// stateWaiting means that the flight waits for a block.
	stateWaiting flightState = iota
	// stateRefused means that the node rejected the flight. Its operation has failed; a later operation may
	// resend the flight.
	stateRefused
	// stateIncluded means that a block includes the flight.
	stateIncluded
)

// Flight is a submitted transaction. After a rejection, it may wait for an operation that resends it.
type Flight struct {
	*transaction.Transaction
	// Sender is the index of its sender.
	Sender int
	// due is zero for a transaction without an operation, such as the trial of the set-up.
	due, sentAt time.Time
	state       flightState
	// accepted is true if the node accepted the flight.
	accepted bool
	attempts int
}

// Tracker tracks all flights of a worker.
type Tracker struct {
	outcomes outcomeRecorder
	mu       sync.Mutex
	flights  map[common.Hash]*Flight
	// waiting counts the flights that wait for a block. included counts all flights in blocks since the start, and late those of them whose
	// operation had failed.
	waiting, included, late int64
	// includedByAccount divides included among the accounts.
	includedByAccount map[*transaction.Account]int64
	effects           Effects
}

// NewTracker returns an empty tracker without a recorder. Flights tracked before SetOutcomes must not belong
// to operations.
func NewTracker() *Tracker {
	return &Tracker{flights: map[common.Hash]*Flight{}, includedByAccount: map[*transaction.Account]int64{}}
}

// SetOutcomes sets the recorder of further outcomes.
func (t *Tracker) SetOutcomes(outcomes outcomeRecorder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outcomes = outcomes
}

// MarkSent records that flights are submitted now for operations that were due at a time, which is zero
// without an operation. Call it before the submission, because a block may arrive before the response.
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

// handleAnswers processes the node's responses to flights, or the error of the whole batch. It returns the
// flights whose nonce is still unused, and the number of accepted flights. The returned flights must be resent
// before any later nonce of their accounts.
func (t *Tracker) handleAnswers(flights []*Flight, refusals []error, whole error, now time.Time) (again []*Flight, accepted int) {
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

// isKnownToNode reports whether a rejection means that the node or a block already has the flight from an
// earlier attempt.
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
	t.recordFailure(f, now, member.ErrorKind(err), err.Error())
}

// recordFailure records that the operation of a flight failed.
func (t *Tracker) recordFailure(f *Flight, now time.Time, kind, example string) {
	if f.due.IsZero() {
		return
	}
	t.outcomes.RecordFailed(f.due, now, kind, example)
	if f.Entry != nil {
		t.outcomes.RecordLabel(f.due, now, string(f.Entry.Kind), true)
	}
}

// recordInclusion records that a block completes the operation of a flight, unless it was reverted.
func (t *Tracker) recordInclusion(f *Flight, seen time.Time, reverted bool) {
	if reverted {
		t.recordFailure(f, seen, evm.KindReverted, fmt.Sprintf("%s %s had no effect", f.transactionKind(), f.Hash))
		return
	}
	if f.due.IsZero() {
		return
	}
	t.outcomes.RecordCompleted(f.due, seen)
	if f.Entry != nil {
		t.outcomes.RecordLabel(f.due, seen, string(f.Entry.Kind), false)
	}
}

// FilterNotIncluded returns the flights that no block includes yet.
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

// MarkIncluded records that a block was seen. It sums up the flights in it.
func (t *Tracker) MarkIncluded(b *member.Block, seen time.Time) Inclusion {
	t.mu.Lock()
	defer t.mu.Unlock()
	var in Inclusion
	for i, hash := range b.Transactions {
		f, ours := t.flights[hash]
		if !ours {
			continue
		}
		delete(t.flights, hash)
		receipt := b.ReceiptAt(i)
		in.addFlight(f, receipt)
		if !receipt.IsReverted() {
			t.effects.addFlight(f)
		}
		t.included++
		t.includedByAccount[f.Account]++
		if f.state == stateWaiting {
			t.waiting--
			t.recordInclusion(f, seen, receipt.IsReverted())
		} else if !f.due.IsZero() {
			t.late++
		}
		f.state = stateIncluded
	}
	return in
}

// Counts returns how many flights wait for a block, and how many are in one.
func (t *Tracker) Counts() (waiting, included int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting, t.included
}

// CountLate returns how many flights are in a block although their operation had failed before.
func (t *Tracker) CountLate() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.late
}

// IncludedOf returns how many flights of an account are in blocks.
func (t *Tracker) IncludedOf(a *transaction.Account) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.includedByAccount[a]
}

// errUnfinished is the example error of transfers that no block included in time.
var errUnfinished = errors.New("no block included it before the end of the drain")

// FailWaiting fails all waiting flights with an error kind and stops tracking all flights.
func (t *Tracker) FailWaiting(kind string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for hash, f := range t.flights {
		if f.state == stateWaiting {
			t.recordFailure(f, now, kind, errUnfinished.Error())
		}
		delete(t.flights, hash)
	}
	t.waiting = 0
}
