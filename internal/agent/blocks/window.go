package blocks

import (
	"fmt"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
)

// maxSkew between the member's clock, which the blocks carry, and this one, which the window is of. What is less is not noticed;
// it moves the edges of the window by as much, and nothing within it.
const maxSkew = time.Second

// Window measures the blocks of a run. It is safe for use by several goroutines.
type Window struct {
	lock sync.Mutex
	// last is the newest block; nil before the first.
	last *Block
	// times and tally are nil before the window is known.
	times           *protocol.Window
	tally           *results.Tally
	listed          []results.Block
	omitted, warmUp int64
	// lag is the least time that a block of the window took from its decision to here, by the two clocks, if lagged.
	lag    time.Duration
	lagged bool
	err    error
	// first is closed at the first block, past at the first that lies behind the window or breaks the measurement.
	first, past           chan struct{}
	firstOnce, passedOnce sync.Once
}

// NewWindow is a window that has not been opened: blocks are seen, but none is counted.
func NewWindow() *Window {
	return &Window{first: make(chan struct{}), past: make(chan struct{})}
}

// First is closed when a block was seen.
func (w *Window) First() <-chan struct{} { return w.first }

// Past is closed when a block behind the window was seen, or when the measurement has failed: the result is complete.
func (w *Window) Past() <-chan struct{} { return w.past }

// Open says when the run starts, and when its window opens and closes.
func (w *Window) Open(times *protocol.Window) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.times, w.tally = times, results.NewTally(times.Longest(), times.IntervalSeconds())
}

// See takes the next block, which came at the given instant.
func (w *Window) See(b Block, came time.Time) {
	w.lock.Lock()
	defer w.lock.Unlock()
	defer w.firstOnce.Do(func() { close(w.first) })
	before := w.last
	w.last = &b
	if w.times == nil || w.err != nil || before == nil {
		return
	}
	at := time.UnixMicro(b.micros())
	switch {
	case b.micros() < before.micros():
		w.err = fmt.Errorf("block %d was decided before block %d, by the member's clock: it was set back", b.Height, before.Height)
	case !at.Before(w.times.From()):
		w.count(b, at.Sub(w.times.From()), time.Duration(b.micros()-before.micros())*time.Microsecond, came.Sub(at))
	case !at.Before(w.times.Start()):
		w.warmUp++
	}
	if w.err != nil || !at.Before(w.times.To()) {
		w.passedOnce.Do(func() { close(w.past) })
	}
}

// count takes in a block at an instant of the window; its latency is the time since the block before it. One that the member has from
// a peer is an error: it was decided, but not observed. The lag is from its decision to here.
func (w *Window) count(b Block, at, latency, lag time.Duration) {
	if !w.tally.Within(at) {
		return
	}
	if b.Synced {
		w.tally.Failed(at, 1)
		w.tally.Error(at, 1, "Synced", fmt.Sprintf(
			"block %d came from a peer that had decided it before: the observed member had fallen behind", b.Height))
		return
	}
	w.tally.Completed(at, 1)
	w.tally.Latency(at, latency)
	if len(w.listed) < results.MaxBlocks {
		w.listed = append(w.listed, results.Block{Height: b.Height, Micros: at.Microseconds(), Bytes: b.Bytes,
			Transactions: b.Transactions, Round: b.Round, Proposer: b.Proposer})
	} else {
		w.omitted++
	}
	if !w.lagged || lag < w.lag {
		w.lag, w.lagged = lag, true
	}
}

// Counted are the blocks of the warm-up, and those of each second of the window before now.
func (w *Window) Counted(now time.Time) (warmUp int64, window []int64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.warmUp, w.tally.Completions(int(now.Sub(w.times.From()) / time.Second))
}

// Result is what the window held.
func (w *Window) Result(worker int) (*results.Worker, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	if w.lagged && w.lag.Abs() > maxSkew {
		return nil, fmt.Errorf("the blocks came at least %s after their decision by the member's clock: it and this worker's differ by more than %s, "+
			"so that the window would not be the right one", w.lag.Round(time.Millisecond), maxSkew)
	}
	r := &results.Worker{Worker: worker, StartMillis: w.times.From().UnixMilli(), Unit: "blocks", Blocks: w.listed, BlocksOmitted: w.omitted}
	return r, w.tally.Fill(r)
}
