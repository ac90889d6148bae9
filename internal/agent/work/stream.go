package work

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/benchnet/benchnet/internal/agent/blocks"
	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
)

// firstBlockPatience bounds the wait for a block before the run; the slowest network that can be asked for decides every ten minutes.
const firstBlockPatience = 15 * time.Minute

// grace is the least wait for the last blocks of the window, whatever the drain.
const grace = 2 * time.Second

// runStream observes the blocks that a member decides; there is no driver. The stream is followed from before the barrier, so that
// the first block of the window has one before it.
func (w *Worker) runStream(parent context.Context) (*results.Worker, error) {
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	stream, window := &blocks.Stream{URL: w.Stream, Log: w.Log}, blocks.NewWindow()
	go func() { stop(stream.Follow(ctx, func(b blocks.Block) { window.See(b, time.Now()) })) }()
	result, err := w.observeBlocks(ctx, stream, window)
	switch cause := context.Cause(ctx); {
	case parent.Err() != nil:
		return nil, failed(1, "the worker was stopped before the run was over")
	case err != nil && cause != nil:
		return nil, cause
	}
	return result, err
}

func (w *Worker) observeBlocks(ctx context.Context, stream *blocks.Stream, window *blocks.Window) (*results.Worker, error) {
	if err := w.awaitBlock(ctx, stream, window); err != nil {
		return nil, err
	}
	if err := files.Write(w.path(protocol.ReadyFile), nil, 0o644); err != nil {
		return nil, err
	}
	start, err := w.release(ctx)
	if err != nil {
		return nil, err
	}
	m := w.Workload.Measure
	window.Open(start, m.WindowStart(start), m.WindowSeconds)
	watching := w.watch(ctx, start)
	go w.carryProgress(ctx)
	if err := w.awaitEnd(ctx, start, stream, window); err != nil {
		return nil, err
	}
	result, err := window.Result(w.Index)
	if err != nil {
		return nil, err
	}
	w.copyProgress(ctx, "")
	w.add(<-watching, result)
	return result, nil
}

// awaitBlock waits until the member is seen to decide.
func (w *Worker) awaitBlock(ctx context.Context, stream *blocks.Stream, window *blocks.Window) error {
	select {
	case <-window.First():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(w.patience()):
	}
	if err := stream.Trouble(); err != nil {
		return fmt.Errorf("no block was seen on %s within %s: %w", w.Stream, w.patience(), err)
	}
	return fmt.Errorf("no block was seen on %s within %s: the member answers, but decides nothing", w.Stream, w.patience())
}

func (w *Worker) patience() time.Duration {
	if w.Patience > 0 {
		return w.Patience
	}
	return firstBlockPatience
}

// awaitEnd waits for a block behind the window, which tells that all blocks of the window are there. Where none comes before the
// drain is over, the member must at least be heard: it has decided nothing more then.
func (w *Worker) awaitEnd(ctx context.Context, start time.Time, stream *blocks.Stream, window *blocks.Window) error {
	m := w.Workload.Measure
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	drain := max(grace, time.Duration(m.DrainSeconds)*time.Second)
	over := time.After(time.Until(m.WindowEnd(start).Add(drain)))
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-window.Past():
			return nil
		case <-over:
			if err := stream.Trouble(); err != nil {
				return fmt.Errorf("the stream %s broke and was not back when the drain ended: %w", w.Stream, err)
			}
			return nil
		case now := <-ticks.C:
			if err := w.writeProgress(now, start, window); err != nil {
				return err
			}
		}
	}
}

// progress is progress.json.
type progress struct {
	Phase          string  `json:"phase"`
	Completed      int64   `json:"completed"`
	Failed         int64   `json:"failed"`
	ElapsedSeconds float64 `json:"elapsedSeconds"`
	Throughput     float64 `json:"throughput"`
}

func (w *Worker) writeProgress(now, start time.Time, window *blocks.Window) error {
	m, p := w.Workload.Measure, progress{}
	warmUp, counted := window.Counted()
	switch opened, closed := m.WindowStart(start), m.WindowEnd(start); {
	case now.Before(start):
		return nil
	case now.Before(opened):
		p = progress{Phase: "WarmUp", Completed: warmUp, ElapsedSeconds: now.Sub(start).Seconds()}
	case now.Before(closed):
		p = progress{Phase: "Window", Completed: counted, ElapsedSeconds: now.Sub(opened).Seconds()}
	default:
		p = progress{Phase: "Drain", Completed: counted, ElapsedSeconds: float64(m.WindowSeconds)}
	}
	if p.ElapsedSeconds > 0 {
		p.Throughput = float64(p.Completed) / p.ElapsedSeconds
	}
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode progress: %w", err)
	}
	return files.Write(w.path(protocol.ProgressFile), text, 0o644)
}
