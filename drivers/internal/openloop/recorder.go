package openloop

import (
	"fmt"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// phaseCounts counts the operations that ended in a phase.
type phaseCounts struct{ completed, failed int64 }

// Recorder records the outcomes of operations. The window's latencies and errors are those of the operations
// that were due in it.
type Recorder struct {
	window  *protocol.Window
	unit    string
	mu      sync.Mutex
	tally   *measurement.RequestRecorder
	blocks  []measurement.Block
	omitted int64
	phases  map[protocol.Phase]*phaseCounts
	totals  *protocol.LoadTotals
}

// NewRecorder returns a recorder for a window, in which operations are counted in a unit.
func NewRecorder(window *protocol.Window, unit string) *Recorder {
	return &Recorder{window: window, unit: unit, tally: measurement.NewRequestRecorder(window.MaxSeconds(), window.IntervalSeconds()),
		totals: protocol.NewLoadTotals(),
		phases: map[protocol.Phase]*phaseCounts{protocol.PhaseWarmUp: {}, protocol.PhaseWindow: {}, protocol.PhaseDrain: {}}}
}

// windowOffset returns the offset of a time from the start of the window.
func (r *Recorder) windowOffset(at time.Time) time.Duration { return at.Sub(r.window.From()) }

// phaseAt returns the counts and the phase at a time, and when the phase began.
func (r *Recorder) phaseAt(at time.Time) (*phaseCounts, protocol.Phase, time.Time) {
	phase, began := protocol.PhaseDrain, r.window.To()
	switch {
	case at.Before(r.window.From()):
		phase, began = protocol.PhaseWarmUp, r.window.LoadStart()
	case at.Before(began):
		phase, began = protocol.PhaseWindow, r.window.From()
	}
	return r.phases[phase], phase, began
}

// RecordPlanned records n operations that were due at a time and began after a lag that the driver caused.
func (r *Recorder) RecordPlanned(due time.Time, n int64, lag time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.RecordPlanned(r.windowOffset(due), n, lag)
}

// RecordClientWait records that n operations waited for a free client.
func (r *Recorder) RecordClientWait(due time.Time, n int64, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.RecordClientWait(r.windowOffset(due), n, wait)
}

// RecordCompleted records that an operation that was due at a time was seen in a block.
func (r *Recorder) RecordCompleted(due, seen time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.RecordCompleted(r.windowOffset(seen), 1)
	r.tally.RecordLatencySum(r.windowOffset(seen), seen.Sub(due))
	r.tally.RecordLatency(r.windowOffset(due), seen.Sub(due))
	ended, _, _ := r.phaseAt(seen)
	ended.completed++
	r.totals.AddCompleted(seen.Sub(due))
}

// RecordFailed records that an operation that was due at a time failed.
func (r *Recorder) RecordFailed(due, at time.Time, kind, example string) {
	r.RecordFailures(due, 1, at, kind, example)
}

// RecordFailures is RecordFailed for n operations.
func (r *Recorder) RecordFailures(due time.Time, n int64, at time.Time, kind, example string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.RecordFailed(r.windowOffset(at), n)
	r.tally.RecordError(r.windowOffset(due), n, kind, example)
	ended, _, _ := r.phaseAt(at)
	ended.failed += n
	r.totals.AddFailed(kind, n)
}

// SeparateOperations makes the recorder measure the operations of each label separately, also in each segment. Call it before recording.
func (r *Recorder) SeparateOperations(labels []string, segments []measurement.Segment) {
	r.tally.SeparateOperations(labels, segments)
}

// RecordLabel counts an operation, which was due at a time and ended at another, under a label.
func (r *Recorder) RecordLabel(due, ended time.Time, label string, failed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.RecordLabel(r.windowOffset(due), label, failed)
	r.tally.RecordOperation(r.windowOffset(due), r.windowOffset(ended), label, failed)
}

// RecordBlock records a block, whose Micros it sets, if it was seen in the window. Blocks beyond measurement.MaxBlocks are only counted.
func (r *Recorder) RecordBlock(b measurement.Block, seen time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.tally.InWindow(r.windowOffset(seen)) {
		return
	}
	if len(r.blocks) == measurement.MaxBlocks {
		r.omitted++
		return
	}
	b.Micros = r.windowOffset(seen).Microseconds()
	r.blocks = append(r.blocks, b)
}

// Progress returns the progress of the phase at a time.
func (r *Recorder) Progress(now time.Time) protocol.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	ended, phase, began := r.phaseAt(now)
	p := protocol.Progress{Phase: phase, Completed: ended.completed, Failed: ended.failed, ElapsedSeconds: now.Sub(began).Seconds(),
		Totals: r.totals.Clone()}
	if p.ElapsedSeconds > 0 {
		p.Throughput = float64(p.Completed) / p.ElapsedSeconds
	}
	if r.window.StopsEarly() {
		past := r.tally.PerSecond(int(min(r.windowOffset(now), r.windowOffset(r.window.To())) / time.Second))
		p.CompletedPerSecond, p.LatencyMicrosPerSecond = past.Completed, past.LatencyMicros
	}
	return p
}

// Result returns the worker's result without ledger and series.
func (r *Recorder) Result(worker int) (*measurement.WorkerResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &measurement.WorkerResult{Worker: worker, StartMillis: r.window.From().UnixMilli(), Unit: r.unit, Blocks: r.blocks, BlocksOmitted: r.omitted}
	if err := r.tally.FillResult(w); err != nil {
		return nil, fmt.Errorf("result of worker %d: %w", worker, err)
	}
	return w, nil
}
