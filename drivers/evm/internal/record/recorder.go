// Package record turns what happens to a worker's operations into its result.
package record

import (
	"fmt"
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/evm"
	"github.com/benchnet/benchnet/internal/results"
)

// counts of what ended in a phase.
type counts struct{ completed, failed int64 }

// Recorder counts. An operation belongs to the window if it was due in it.
type Recorder struct {
	window  *protocol.Window
	mu      sync.Mutex
	tally   *results.Tally
	blocks  []results.Block
	omitted int64
	phases  map[protocol.Phase]*counts
}

// NewRecorder records a window.
func NewRecorder(window *protocol.Window) *Recorder {
	return &Recorder{window: window, tally: results.NewTally(window.Longest(), window.IntervalSeconds()),
		phases: map[protocol.Phase]*counts{protocol.PhaseWarmUp: {}, protocol.PhaseWindow: {}, protocol.PhaseDrain: {}}}
}

// offset of an instant from the start of the window.
func (r *Recorder) offset(at time.Time) time.Duration { return at.Sub(r.window.From()) }

// phase at an instant, and when it began.
func (r *Recorder) phase(at time.Time) (*counts, protocol.Phase, time.Time) {
	phase, began := protocol.PhaseDrain, r.window.To()
	switch {
	case at.Before(r.window.From()):
		phase, began = protocol.PhaseWarmUp, r.window.Start()
	case at.Before(began):
		phase, began = protocol.PhaseWindow, r.window.From()
	}
	return r.phases[phase], phase, began
}

// Planned says that n operations were due at an instant and began after a lag.
func (r *Recorder) Planned(due time.Time, n int64, lag time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.Planned(r.offset(due), n, lag)
}

// Completed says that an operation that was due at an instant was seen in a block.
func (r *Recorder) Completed(due, seen time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.Completed(r.offset(seen), 1)
	r.tally.Latency(r.offset(due), seen.Sub(due))
	ended, _, _ := r.phase(seen)
	ended.completed++
}

// Failed says that an operation that was due at an instant has failed.
func (r *Recorder) Failed(due, at time.Time, kind, example string) {
	r.FailedAll(due, 1, at, kind, example)
}

// FailedAll is Failed for n operations.
func (r *Recorder) FailedAll(due time.Time, n int64, at time.Time, kind, example string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.Failed(r.offset(at), n)
	r.tally.Error(r.offset(due), n, kind, example)
	ended, _, _ := r.phase(at)
	ended.failed += n
}

// Block says that a block was seen.
func (r *Recorder) Block(b *member.Block, seen time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.tally.Within(r.offset(seen)) {
		return
	}
	if len(r.blocks) == results.MaxBlocks {
		r.omitted++
		return
	}
	r.blocks = append(r.blocks, results.Block{Height: int64(b.Height), Micros: r.offset(seen).Microseconds(), Bytes: int64(b.Size),
		Transactions: int64(len(b.Transactions)), Proposer: b.Proposer.Hex()})
}

// Progress of the phase at an instant.
func (r *Recorder) Progress(now time.Time) protocol.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	ended, phase, began := r.phase(now)
	p := protocol.Progress{Phase: phase, Completed: ended.completed, Failed: ended.failed, ElapsedSeconds: now.Sub(began).Seconds()}
	if p.ElapsedSeconds > 0 {
		p.Throughput = float64(p.Completed) / p.ElapsedSeconds
	}
	if r.window.IntervalSeconds() > 0 {
		p.CompletedPerSecond = r.tally.Completions(int(min(r.offset(now), r.offset(r.window.To())) / time.Second))
	}
	return p
}

// Result is what the worker measured, without ledger and series.
func (r *Recorder) Result(worker int) (*results.Worker, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &results.Worker{Worker: worker, StartMillis: r.window.From().UnixMilli(), Unit: evm.Unit, Blocks: r.blocks, BlocksOmitted: r.omitted}
	if err := r.tally.Fill(w); err != nil {
		return nil, fmt.Errorf("result of worker %d: %w", worker, err)
	}
	return w, nil
}
