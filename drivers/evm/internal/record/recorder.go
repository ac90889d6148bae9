// Package record turns what happens to a worker's operations into its result.
package record

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/evm"
	"github.com/benchnet/benchnet/internal/results"
)

const (
	// lateAfter is the lag from which on an operation counts as late.
	lateAfter = 100 * time.Millisecond
	// maxExample bounds the example of an error, in bytes.
	maxExample = 200
)

// Phase of a run.
type Phase string

// The phases.
const (
	WarmUp Phase = "WarmUp"
	Window Phase = "Window"
	Drain  Phase = "Drain"
)

// Times of a run.
type Times struct {
	// Start of the load; the window is from From to To; nothing is waited for after End.
	Start, From, To, End time.Time
}

// TimesOf counts from the common start.
func TimesOf(m protocol.Measure, start time.Time) Times {
	return Times{Start: start, From: m.WindowStart(start), To: m.WindowEnd(start), End: m.WindowEnd(start).Add(time.Duration(m.DrainSeconds) * time.Second)}
}

// phase at an instant, and when it began.
func (t Times) phase(at time.Time) (Phase, time.Time) {
	switch {
	case at.Before(t.From):
		return WarmUp, t.Start
	case at.Before(t.To):
		return Window, t.From
	}
	return Drain, t.To
}

// counts of what ended in a phase.
type counts struct{ completed, failed int64 }

// Recorder counts. An operation belongs to the window if it was due in it.
type Recorder struct {
	times     Times
	mu        sync.Mutex
	latencies *results.Histogram
	completed []int64
	failed    []int64
	errors    map[string]*results.ErrorCount
	schedule  results.Schedule
	blocks    []results.Block
	omitted   int64
	phases    map[Phase]*counts
}

// NewRecorder records the window of times.
func NewRecorder(times Times) *Recorder {
	seconds := int(times.To.Sub(times.From) / time.Second)
	return &Recorder{times: times, latencies: results.NewHistogram(), completed: make([]int64, seconds), failed: make([]int64, seconds),
		errors: map[string]*results.ErrorCount{}, phases: map[Phase]*counts{WarmUp: {}, Window: {}, Drain: {}}}
}

// second of the window that an instant lies in.
func (r *Recorder) second(at time.Time) (int, bool) {
	if at.Before(r.times.From) || !at.Before(r.times.To) {
		return 0, false
	}
	return int(at.Sub(r.times.From) / time.Second), true
}

func (r *Recorder) belongs(due time.Time) bool { _, in := r.second(due); return in }

// Planned says that n operations were due at an instant and began after a lag.
func (r *Recorder) Planned(due time.Time, n int64, lag time.Duration) {
	if !r.belongs(due) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.schedule.Planned += n
	if lag > lateAfter {
		r.schedule.Late += n
	}
	r.schedule.MaxLagMicros = max(r.schedule.MaxLagMicros, lag.Microseconds())
}

// Completed says that an operation that was due at an instant was seen in a block.
func (r *Recorder) Completed(due, seen time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if second, in := r.second(seen); in {
		r.completed[second]++
	}
	if r.belongs(due) {
		// Every latency is within the histogram's range once it is brought there, so this cannot fail.
		_ = r.latencies.Record(seen.Sub(due).Microseconds())
	}
	phase, _ := r.times.phase(seen)
	r.phases[phase].completed++
}

// Failed says that an operation that was due at an instant has failed.
func (r *Recorder) Failed(due, at time.Time, kind, example string) {
	r.FailedAll(due, 1, at, kind, example)
}

// FailedAll is Failed for n operations.
func (r *Recorder) FailedAll(due time.Time, n int64, at time.Time, kind, example string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if second, in := r.second(at); in {
		r.failed[second] += n
	}
	phase, _ := r.times.phase(at)
	r.phases[phase].failed += n
	if !r.belongs(due) {
		return
	}
	if r.errors[kind] == nil {
		r.errors[kind] = &results.ErrorCount{Kind: kind, Example: example[:min(len(example), maxExample)]}
	}
	r.errors[kind].Count += n
}

// Block says that a block was seen.
func (r *Recorder) Block(b *member.Block, seen time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.belongs(seen) {
		return
	}
	if len(r.blocks) == results.MaxBlocks {
		r.omitted++
		return
	}
	r.blocks = append(r.blocks, results.Block{Height: int64(b.Height), Micros: seen.Sub(r.times.From).Microseconds(), Bytes: int64(b.Size),
		Transactions: int64(len(b.Transactions)), Proposer: b.Proposer.Hex()})
}

// Progress is the content of progress.json.
type Progress struct {
	Phase          Phase   `json:"phase"`
	Completed      int64   `json:"completed"`
	Failed         int64   `json:"failed"`
	ElapsedSeconds float64 `json:"elapsedSeconds"`
	Throughput     float64 `json:"throughput"`
}

// Progress of the phase at an instant.
func (r *Recorder) Progress(now time.Time) Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	phase, began := r.times.phase(now)
	p := Progress{Phase: phase, Completed: r.phases[phase].completed, Failed: r.phases[phase].failed, ElapsedSeconds: now.Sub(began).Seconds()}
	if p.ElapsedSeconds > 0 {
		p.Throughput = float64(p.Completed) / p.ElapsedSeconds
	}
	return p
}

// Result is what the worker measured, without ledger and series.
func (r *Recorder) Result(worker int) (*results.Worker, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	histogram, err := r.latencies.Encode()
	if err != nil {
		return nil, fmt.Errorf("result of worker %d: %w", worker, err)
	}
	errors := make([]results.ErrorCount, 0, len(r.errors))
	for _, e := range r.errors {
		errors = append(errors, *e)
	}
	slices.SortFunc(errors, func(a, b results.ErrorCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind))
	})
	return &results.Worker{Worker: worker, StartMillis: r.times.From.UnixMilli(), WindowSeconds: len(r.completed), Histogram: histogram,
		CompletedPerSecond: r.completed, FailedPerSecond: r.failed, Errors: errors, Schedule: r.schedule,
		Unit: evm.Unit, Blocks: r.blocks, BlocksOmitted: r.omitted}, nil
}
