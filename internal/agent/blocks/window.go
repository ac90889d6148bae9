package blocks

import (
	"fmt"
	"sync"
	"time"

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
	// start of the warm-up, opened and closed are Unix epoch microseconds; opened is 0 before the window is known.
	start, opened, closed int64
	histogram             *results.Histogram
	perSecond             []int64
	// syncedPerSecond counts blocks whose decision was not observed; synced is the first of them.
	syncedPerSecond []int64
	synced          *Block
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
	return &Window{histogram: results.NewHistogram(), first: make(chan struct{}), past: make(chan struct{})}
}

// First is closed when a block was seen.
func (w *Window) First() <-chan struct{} { return w.first }

// Past is closed when a block behind the window was seen, or when the measurement has failed: the result is complete.
func (w *Window) Past() <-chan struct{} { return w.past }

// Open says when the run starts and when its window opens, and for how many seconds.
func (w *Window) Open(start, windowStart time.Time, seconds int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.start, w.opened = start.UnixMicro(), windowStart.UnixMicro()
	w.closed = w.opened + int64(seconds)*1e6
	w.perSecond, w.syncedPerSecond = make([]int64, seconds), make([]int64, seconds)
}

// See takes the next block, which came at the given instant.
func (w *Window) See(b Block, came time.Time) {
	w.lock.Lock()
	defer w.lock.Unlock()
	defer w.firstOnce.Do(func() { close(w.first) })
	before := w.last
	w.last = &b
	if w.opened == 0 || w.err != nil || before == nil {
		return
	}
	at := b.micros()
	switch {
	case at < before.micros():
		w.err = fmt.Errorf("block %d was decided before block %d, by the member's clock: it was set back", b.Height, before.Height)
	case at >= w.closed:
	case at >= w.opened:
		w.err = w.count(b, at, before.micros(), came)
	case at >= w.start:
		w.warmUp++
	}
	if w.err != nil || at >= w.closed {
		w.passedOnce.Do(func() { close(w.past) })
	}
}

// count takes in a block of the window; its latency is the time since the block before it. One that the member has from a peer
// is an error: it was decided, but not observed.
func (w *Window) count(b Block, at, before int64, came time.Time) error {
	if b.Synced {
		if w.synced == nil {
			w.synced = &b
		}
		w.syncedPerSecond[(at-w.opened)/1e6]++
		return nil
	}
	w.perSecond[(at-w.opened)/1e6]++
	if len(w.listed) < results.MaxBlocks {
		w.listed = append(w.listed, results.Block{Height: b.Height, Micros: at - w.opened, Bytes: b.Bytes,
			Transactions: b.Transactions, Round: b.Round, Proposer: b.Proposer})
	} else {
		w.omitted++
	}
	if lag := came.Sub(time.UnixMicro(at)); !w.lagged || lag < w.lag {
		w.lag, w.lagged = lag, true
	}
	return w.histogram.Record(at - before)
}

// Counted are the blocks of the warm-up, and those of the window by now.
func (w *Window) Counted() (warmUp, window int64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for _, n := range w.perSecond {
		window += n
	}
	return w.warmUp, window
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
	encoded, err := w.histogram.Encode()
	if err != nil {
		return nil, err
	}
	return &results.Worker{
		Worker: worker, StartMillis: w.opened / 1000, WindowSeconds: len(w.perSecond), Unit: "blocks", Histogram: encoded,
		CompletedPerSecond: w.perSecond, FailedPerSecond: w.syncedPerSecond, Errors: w.errors(),
		Blocks: w.listed, BlocksOmitted: w.omitted,
	}, nil
}

// errors are the blocks that were not observed as they were decided.
func (w *Window) errors() []results.ErrorCount {
	if w.synced == nil {
		return []results.ErrorCount{}
	}
	var count int64
	for _, n := range w.syncedPerSecond {
		count += n
	}
	return []results.ErrorCount{{Kind: "Synced", Count: count,
		Example: fmt.Sprintf("block %d came from a peer that had decided it before: the observed member had fallen behind", w.synced.Height)}}
}
