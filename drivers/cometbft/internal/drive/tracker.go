package drive

import (
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/cometbft/internal/member"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// flightState is the state of a flight.
type flightState int

const (
	// stateWaiting means that the flight waits for a block.
	stateWaiting flightState = iota
	// stateFailed means that the node rejected the flight, or that its fate is unknown. Its operation has failed.
	stateFailed
	// stateIncluded means that a block includes the flight.
	stateIncluded
)

// flight is a submitted transaction.
type flight struct {
	hash member.Hash
	// raw is nil after the response.
	raw []byte
	// due is zero for a transaction without an operation, as the trial of the set-up.
	due   time.Time
	state flightState
	// failed is true if the operation failed, also if a block includes the flight later.
	failed bool
}

// tracker tracks all flights of a worker up to the block that includes them.
type tracker struct {
	mu sync.Mutex
	// recorder is nil during the set-up.
	recorder *openloop.Recorder
	flights  map[member.Hash]*flight
	// waiting counts the flights that wait for a block, included those in blocks.
	waiting, included int64
	newest            *member.Block
}

func (t *tracker) setRecorder(r *openloop.Recorder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recorder = r
}

// markSent records that flights are submitted now for operations that were due at a time, which is zero without an
// operation.
func (t *tracker) markSent(flights []*flight, due, _ time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range flights {
		f.due = due
		t.flights[f.hash] = f
	}
	t.waiting += int64(len(flights))
}

// handleAnswers processes the node's responses to flights, or the error of the whole batch. It returns the number of
// accepted flights.
func (t *tracker) handleAnswers(flights []*flight, refusals []error, whole error, now time.Time) (accepted int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range flights {
		f.raw = nil
		err := whole
		if err == nil {
			err = refusals[i]
		}
		if err == nil || f.state == stateIncluded {
			accepted++
			continue
		}
		t.failFlight(f, now, member.ErrorKind(err), err.Error())
	}
	return accepted
}

func (t *tracker) failFlight(f *flight, now time.Time, kind, example string) {
	f.state, f.failed = stateFailed, true
	t.waiting--
	if !f.due.IsZero() {
		t.recorder.RecordFailed(f.due, now, kind, example)
	}
}

// addBlock records a block that was seen at a time.
func (t *tracker) addBlock(b *member.Block, seen time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.newest = b
	for _, hash := range b.Transactions {
		f := t.flights[hash]
		if f == nil || f.state == stateIncluded {
			continue
		}
		t.included++
		if f.state == stateWaiting {
			t.waiting--
			if !f.due.IsZero() {
				t.recorder.RecordCompleted(f.due, seen)
			}
		}
		f.state = stateIncluded
	}
	if t.recorder != nil {
		t.recorder.RecordBlock(measurement.Block{Height: int64(b.Height), Bytes: b.Bytes, Transactions: int64(len(b.Transactions)), Proposer: b.Proposer}, seen)
	}
}

// countWaiting returns how many flights wait for a block.
func (t *tracker) countWaiting() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting
}

// newestBlock returns the last block seen, or nil.
func (t *tracker) newestBlock() *member.Block {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.newest
}

// failWaiting fails all waiting flights with an error kind.
func (t *tracker) failWaiting(kind string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.flights {
		if f.state == stateWaiting {
			t.failFlight(f, now, kind, "no block included it before the end of the drain")
		}
	}
}
