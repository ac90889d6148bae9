package blocks

import (
	"fmt"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/results"
)

// maxClockSkew between the member's clock, which the blocks carry, and this one, which the window is of. What is less is not noticed;
// it moves the edges of the window by as much, and nothing within it.
const maxClockSkew = time.Second

// Recorder measures the blocks of a run. It is safe for use by several goroutines.
type Recorder struct {
	lock sync.Mutex
	// lastBlock is the newest block; nil before the first.
	lastBlock *Block
	// window and tally are nil before the window is known.
	window                    *protocol.Window
	tally                     *results.RequestRecorder
	listedBlocks              []results.Block
	omittedCount, warmUpCount int64
	// minLag is the least time that a block of the window took from its decision to here, by the two clocks, if lagged.
	minLag   time.Duration
	lagKnown bool
	err      error
	// firstSeen is closed at the first block, past at the first that lies behind the window or breaks the measurement.
	firstSeen, done     chan struct{}
	firstOnce, doneOnce sync.Once
}

// NewRecorder is a window that has not been opened: blocks are seen, but none is counted.
func NewRecorder() *Recorder {
	return &Recorder{firstSeen: make(chan struct{}), done: make(chan struct{})}
}

// FirstBlock is closed when a block was seen.
func (w *Recorder) FirstBlock() <-chan struct{} { return w.firstSeen }

// Done is closed when a block behind the window was seen, or when the measurement has failed: the result is complete.
func (w *Recorder) Done() <-chan struct{} { return w.done }

// SetWindow says when the run starts, and when its window opens and closes.
func (w *Recorder) SetWindow(times *protocol.Window) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.window, w.tally = times, results.NewRequestRecorder(times.MaxSeconds(), times.IntervalSeconds())
}

// AddBlock takes the next block, which came at the given instant.
func (w *Recorder) AddBlock(b Block, came time.Time) {
	w.lock.Lock()
	defer w.lock.Unlock()
	defer w.firstOnce.Do(func() { close(w.firstSeen) })
	before := w.lastBlock
	w.lastBlock = &b
	if w.window == nil || w.err != nil || before == nil {
		return
	}
	at := time.UnixMicro(b.unixMicros())
	switch {
	case b.unixMicros() < before.unixMicros():
		w.err = fmt.Errorf("block %d was decided before block %d, by the member's clock: it was set back", b.Height, before.Height)
	case !at.Before(w.window.From()):
		w.countBlock(b, at.Sub(w.window.From()), time.Duration(b.unixMicros()-before.unixMicros())*time.Microsecond, came.Sub(at))
	case !at.Before(w.window.LoadStart()):
		w.warmUpCount++
	}
	if w.err != nil || !at.Before(w.window.To()) {
		w.doneOnce.Do(func() { close(w.done) })
	}
}

// countBlock takes in a block at an instant of the window; its latency is the time since the block before it. One that the member has from
// a peer is an error: it was decided, but not observed. The lag is from its decision to here.
func (w *Recorder) countBlock(b Block, at, latency, lag time.Duration) {
	if !w.tally.InWindow(at) {
		return
	}
	if b.Synced {
		w.tally.RecordFailed(at, 1)
		w.tally.RecordError(at, 1, "Synced", fmt.Sprintf(
			"block %d came from a peer that had decided it before: the observed member had fallen behind", b.Height))
		return
	}
	w.tally.RecordCompleted(at, 1)
	w.tally.RecordLatency(at, latency)
	if len(w.listedBlocks) < results.MaxBlocks {
		w.listedBlocks = append(w.listedBlocks, results.Block{Height: b.Height, Micros: at.Microseconds(), Bytes: b.Bytes,
			Transactions: b.Transactions, Round: b.Round, Proposer: b.Proposer})
	} else {
		w.omittedCount++
	}
	if !w.lagKnown || lag < w.minLag {
		w.minLag, w.lagKnown = lag, true
	}
}

// CompletedCounts are the blocks of the warm-up, and those of each second of the window before now.
func (w *Recorder) CompletedCounts(now time.Time) (warmUp int64, window []int64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.warmUpCount, w.tally.CompletedPerSecond(int(now.Sub(w.window.From()) / time.Second))
}

// Result is what the window held.
func (w *Recorder) Result(worker int) (*results.WorkerResult, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	if w.lagKnown && w.minLag.Abs() > maxClockSkew {
		return nil, fmt.Errorf("the blocks came at least %s after their decision by the member's clock: it and this worker's differ by more than %s, "+
			"so that the window would not be the right one", w.minLag.Round(time.Millisecond), maxClockSkew)
	}
	r := &results.WorkerResult{Worker: worker, StartMillis: w.window.From().UnixMilli(), Unit: "blocks", Blocks: w.listedBlocks, BlocksOmitted: w.omittedCount}
	return r, w.tally.FillResult(r)
}
