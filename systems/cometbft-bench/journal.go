package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/types"
)

// maxEntries is how many blocks are remembered: half an hour at ten per second.
const maxEntries = 20_000

// entry is a decided block, a line of /blocks.
type entry struct {
	Height int64 `json:"height"`
	// TimeMillis is the Unix time in milliseconds, with microsecond precision, when this validator began to execute the
	// block.
	TimeMillis float64 `json:"timeMillis"`
	// IntervalMicros is the time since the previous decision by the monotonic clock. It is absent for the first decision
	// after the start, and for a synced block and the one after it.
	IntervalMicros int64 `json:"intervalMicros,omitempty"`
	// ConsensusMicros is the time from the start of the height, its first round, to the decision by the same clock. It is absent
	// if this validator did not see the start, and for a synced block.
	ConsensusMicros int64  `json:"consensusMicros,omitempty"`
	Bytes           int64  `json:"bytes"`
	Transactions    int    `json:"transactions"`
	Round           int32  `json:"round"`
	Proposer        string `json:"proposer"`
	Synced          bool   `json:"synced,omitempty"`
}

// journal remembers the last decided blocks in ascending order of heights.
type journal struct {
	lock    sync.Mutex
	entries []entry
	next    int64
	// changed is closed and replaced with each new entry.
	changed chan struct{}
}

// newJournal returns an empty journal that continues after the height last.
func newJournal(last int64) *journal { return &journal{next: last + 1, changed: make(chan struct{})} }

func (j *journal) addEntry(e entry) {
	j.lock.Lock()
	defer j.lock.Unlock()
	if len(j.entries) >= maxEntries {
		j.entries = j.entries[1:] // The next append that needs memory drops the rest.
	}
	j.entries = append(j.entries, e)
	j.next = e.Height + 1
	close(j.changed)
	j.changed = make(chan struct{})
}

// entriesFrom returns up to count entries from a height on, or later ones if that one is forgotten, and a channel that is
// closed when there are more.
func (j *journal) entriesFrom(from int64, count int) ([]entry, <-chan struct{}) {
	j.lock.Lock()
	defer j.lock.Unlock()
	start := sort.Search(len(j.entries), func(i int) bool { return j.entries[i].Height >= from })
	return append([]entry(nil), j.entries[start:min(start+count, len(j.entries))]...), j.changed
}

// nextHeight returns the height after the last decision.
func (j *journal) nextHeight() int64 {
	j.lock.Lock()
	defer j.lock.Unlock()
	return j.next
}

// recorder turns decisions into entries and metrics.
type recorder struct {
	journal  *journal
	metrics  *metrics
	isSynced func() bool
	// loadCommit returns the commit of a stored block.
	loadCommit func(height int64) *types.Commit
	// decided is true after the first decision that was not synced.
	decided atomic.Bool
	// previous is the time of the previous decision; zero if there is none or if it was synced.
	previous time.Time
	// started is the last height that started; nil before the first.
	started atomic.Pointer[heightStart]
}

// heightStart is the start of the first round of a height that this validator saw.
type heightStart struct {
	height int64
	at     time.Time
}

// watchHeights records the starts of heights until the node stops.
func (r *recorder) watchHeights(ctx context.Context, bus *types.EventBus) error {
	rounds, err := bus.SubscribeUnbuffered(ctx, "recorder", types.EventQueryNewRound)
	if err != nil {
		return fmt.Errorf("watch the rounds: %w", err)
	}
	go func() {
		for {
			select {
			case message := <-rounds.Out():
				round, ok := message.Data().(types.EventDataNewRound)
				if last := r.started.Load(); ok && (last == nil || last.height != round.Height) {
					r.started.Store(&heightStart{round.Height, time.Now()})
				}
			case <-rounds.Canceled():
				return
			}
		}
	}()
	return nil
}

// recordDecision is called by one goroutine at a time. CometBFT stores a block before it executes it.
func (r *recorder) recordDecision(block *abci.RequestFinalizeBlock) {
	now := time.Now()
	e := entry{
		Height:       block.Height,
		TimeMillis:   float64(now.UnixMicro()) / 1000,
		Bytes:        totalSize(block.Txs),
		Transactions: len(block.Txs),
		Proposer:     hex.EncodeToString(block.ProposerAddress),
		Synced:       r.isSynced(),
	}
	if commit := r.loadCommit(block.Height); commit != nil {
		e.Round = commit.Round
	}
	if !e.Synced && !r.previous.IsZero() {
		e.IntervalMicros = now.Sub(r.previous).Microseconds()
	}
	if started := r.started.Load(); !e.Synced && started != nil && started.height == block.Height {
		e.ConsensusMicros = now.Sub(started.at).Microseconds()
	}
	r.previous = now
	if e.Synced {
		r.previous = time.Time{}
	}
	r.metrics.observeDecision(e)
	r.journal.addEntry(e)
	if !e.Synced {
		r.decided.Store(true)
	}
}
