package work

import (
	"context"
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
	times, err := w.release(ctx)
	if err != nil {
		return nil, err
	}
	window.Open(times)
	watching := w.watch(ctx, times)
	go w.carryProgress(ctx)
	if err := w.awaitEnd(ctx, times, stream, window); err != nil {
		return nil, err
	}
	result, err := window.Result(w.Index)
	if err != nil {
		return nil, err
	}
	w.copyProgress(ctx, "")
	return w.add(times, <-watching, result)
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
func (w *Worker) awaitEnd(ctx context.Context, times *protocol.Window, stream *blocks.Stream, window *blocks.Window) error {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-window.Past():
			return nil
		case now := <-ticks.C:
			if now.After(times.DrainEnd()) && now.After(times.To().Add(grace)) {
				if err := stream.Trouble(); err != nil {
					return fmt.Errorf("the stream %s broke and was not back when the drain ended: %w", w.Stream, err)
				}
				return nil
			}
			warmUp, counted := window.Counted(now)
			if err := w.writeProgress(now, times, warmUp, counted); err != nil {
				return err
			}
		}
	}
}
