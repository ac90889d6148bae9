package observe

import (
	"fmt"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// maxClockSkew bounds the difference between the member's clock, which times the blocks, and this worker's,
// which times the window. A smaller difference is accepted: it only shifts the edges of the window.
const maxClockSkew = time.Second

// syncedError is the kind of error of a block that the member got from a peer.
const syncedError = "Synced"

// BlockRecorder records the blocks of a run. It is safe for concurrent use.
type BlockRecorder struct {
	lock sync.Mutex
	// lastBlock is the newest block; nil before the first.
	lastBlock *Block
	// window and tally are nil until SetWindow.
	window                    *protocol.Window
	tally                     *measurement.RequestRecorder
	totals                    *protocol.LoadTotals
	listedBlocks              []measurement.Block
	omittedCount, warmUpCount int64
	// minLag is the shortest time from the decision of a block of the window to its arrival, by the two clocks.
	// It is valid if lagKnown.
	minLag   time.Duration
	lagKnown bool
	err      error
	// firstSeen is closed at the first block. done is closed at the first block after the window or the first error.
	firstSeen, done     chan struct{}
	firstOnce, doneOnce sync.Once
}

// NewBlockRecorder returns a Recorder without a window, which counts no blocks yet.
func NewBlockRecorder() *BlockRecorder {
	return &BlockRecorder{firstSeen: make(chan struct{}), done: make(chan struct{}), totals: protocol.NewLoadTotals()}
}

// FirstBlock returns a channel that is closed once a block has arrived.
func (w *BlockRecorder) FirstBlock() <-chan struct{} { return w.firstSeen }

// Done returns a channel that is closed once a block after the window has arrived or the measurement has failed.
func (w *BlockRecorder) Done() <-chan struct{} { return w.done }

// SetWindow sets the window, from which on blocks are counted.
func (w *BlockRecorder) SetWindow(times *protocol.Window) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.window, w.tally = times, measurement.NewRequestRecorder(times.MaxSeconds(), times.IntervalSeconds())
}

// AddBlock records the next block, which arrived at the instant came.
func (w *BlockRecorder) AddBlock(b Block, came time.Time) {
	w.lock.Lock()
	defer w.lock.Unlock()
	defer w.firstOnce.Do(func() { close(w.firstSeen) })
	before := w.lastBlock
	w.lastBlock = &b
	if w.window == nil || w.err != nil || before == nil {
		return
	}
	// The member's clock places the block in the window and the worker's monotonic clock its arrival, so that only
	// the distance of the two depends on the worker's wall clock at the start.
	at := time.UnixMicro(b.unixMicros())
	lag := came.Sub(w.window.From()) - at.Sub(w.window.From())
	switch {
	case b.unixMicros() < before.unixMicros():
		w.err = fmt.Errorf("block %d was decided before block %d according to the member's clock: it was set back", b.Height, before.Height)
	case !at.Before(w.window.From()):
		w.countBlock(b, at.Sub(w.window.From()), b.intervalSince(before), lag)
	case !at.Before(w.window.LoadStart()):
		w.warmUpCount++
	}
	if w.err == nil && !at.Before(w.window.LoadStart()) {
		w.addToTotals(b, b.intervalSince(before))
	}
	if w.err != nil || !at.Before(w.window.To()) {
		w.doneOnce.Do(func() { close(w.done) })
	}
}

// addToTotals counts a block that was decided after the start of the load.
func (w *BlockRecorder) addToTotals(b Block, latency time.Duration) {
	if b.Synced {
		w.totals.AddFailed(syncedError, 1)
		return
	}
	w.totals.AddCompleted(latency)
}

// countBlock counts a block at an offset from the start of the window, if that lies in the window. latency is
// the time since the previous block, lag the time from the decision to the arrival. A block that the member got
// from a peer counts as an error, because its decision was not observed.
func (w *BlockRecorder) countBlock(b Block, at, latency, lag time.Duration) {
	if !w.tally.InWindow(at) {
		return
	}
	if b.Synced {
		w.tally.RecordFailed(at, 1)
		w.tally.RecordError(at, 1, syncedError, fmt.Sprintf(
			"block %d came from a peer that had decided it before: the observed member fell behind", b.Height))
		return
	}
	w.tally.RecordCompleted(at, 1)
	w.tally.RecordLatencySum(at, latency)
	w.tally.RecordLatency(at, latency)
	if len(w.listedBlocks) < measurement.MaxBlocks {
		w.listedBlocks = append(w.listedBlocks, measurement.Block{Height: b.Height, Micros: at.Microseconds(), ConsensusMicros: b.ConsensusMicros,
			Bytes: b.Bytes, Transactions: b.Transactions, Round: b.Round, Proposer: b.Proposer})
	} else {
		w.omittedCount++
	}
	if !w.lagKnown || lag < w.minLag {
		w.minLag, w.lagKnown = lag, true
	}
}

// CompletedCounts returns the number of blocks in the warm-up, and those of each second of the window before now.
func (w *BlockRecorder) CompletedCounts(now time.Time) (warmUp int64, window measurement.PerSecond) {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.warmUpCount, w.tally.PerSecond(int(now.Sub(w.window.From()) / time.Second))
}

// Totals returns what has been decided since the start of the load.
func (w *BlockRecorder) Totals() *protocol.LoadTotals {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.totals.Clone()
}

// Result returns the worker's result for the window. It fails if the member's clock was set back or if the two
// clocks differ by more than maxClockSkew.
func (w *BlockRecorder) Result(worker int) (*measurement.WorkerResult, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	if w.lagKnown && w.minLag.Abs() > maxClockSkew {
		return nil, fmt.Errorf("the blocks arrived at least %s after their decision according to the member's clock, "+
			"which differs from this worker's by more than %s, "+
			"so the window would be shifted", w.minLag.Round(time.Millisecond), maxClockSkew)
	}
	r := &measurement.WorkerResult{Worker: worker, StartMillis: w.window.From().UnixMilli(), Unit: "blocks", Blocks: w.listedBlocks, BlocksOmitted: w.omittedCount}
	return r, w.tally.FillResult(r)
}
