package work

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// defaultBlockTimeout bounds the wait for the first block; the slowest supported network decides a block every
// ten minutes.
const defaultBlockTimeout = 15 * time.Minute

// minBlockDrain is the minimum wait for the last blocks of the window, whatever the drain.
const minBlockDrain = 2 * time.Second

// runStream observes the blocks that a member decides, without a driver. It follows the stream from before the
// barrier, because the latency of the first block of the window needs the previous block.
func (w *Worker) runStream(parent context.Context) (*measurement.WorkerResult, error) {
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	stream, window := &observe.BlockStream{URL: w.StreamURL}, observe.NewBlockRecorder()
	go func() { stop(stream.Follow(ctx, func(b observe.Block) { window.AddBlock(b, time.Now()) })) }()
	result, err := w.observeBlocks(ctx, stream, window)
	switch cause := context.Cause(ctx); {
	case parent.Err() != nil:
		return nil, newFailure(1, "the worker was stopped before the end of the run")
	case err != nil && cause != nil:
		return nil, cause
	}
	return result, err
}

func (w *Worker) observeBlocks(ctx context.Context, stream *observe.BlockStream, window *observe.BlockRecorder) (*measurement.WorkerResult, error) {
	if err := w.awaitFirstBlock(ctx, stream, window); err != nil {
		return nil, err
	}
	if err := files.WriteAtomic(w.filePath(protocol.ReadyFile), nil, 0o644); err != nil {
		return nil, err
	}
	times, err := w.passBarrier(ctx)
	if err != nil {
		return nil, err
	}
	window.SetWindow(times)
	watching := w.startObserving(ctx, times)
	go w.forwardProgress(ctx)
	if err := w.awaitWindowEnd(ctx, times, stream, window); err != nil {
		return nil, err
	}
	result, err := window.Result(w.Index)
	if err != nil {
		return nil, err
	}
	w.reportProgress(ctx, "")
	return w.addObservation(times, <-watching, result)
}

// awaitFirstBlock waits for the first block on the stream. It fails after firstBlockTimeout.
func (w *Worker) awaitFirstBlock(ctx context.Context, stream *observe.BlockStream, window *observe.BlockRecorder) error {
	select {
	case <-window.FirstBlock():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(w.firstBlockTimeout()):
	}
	if err := stream.ConnectionError(); err != nil {
		return fmt.Errorf("no block was seen on %s within %s: %w", w.StreamURL, w.firstBlockTimeout(), err)
	}
	return fmt.Errorf("no block was seen on %s within %s: the member responds, but decides no blocks", w.StreamURL, w.firstBlockTimeout())
}

func (w *Worker) firstBlockTimeout() time.Duration {
	return cmp.Or(w.BlockTimeout, defaultBlockTimeout)
}

// awaitWindowEnd waits for a block after the window, which shows that all blocks of the window have arrived. If
// none arrives before the drain ends, the stream must be connected: the member then decided no further block.
func (w *Worker) awaitWindowEnd(ctx context.Context, times *protocol.Window, stream *observe.BlockStream, window *observe.BlockRecorder) error {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-window.Done():
			return nil
		case now := <-ticks.C:
			if now.After(times.DrainEnd()) && now.After(times.To().Add(minBlockDrain)) {
				if err := stream.ConnectionError(); err != nil {
					return fmt.Errorf("the stream %s broke and did not recover before the end of the drain: %w", w.StreamURL, err)
				}
				return nil
			}
			warmUp, counted := window.CompletedCounts(now)
			if err := w.writeProgress(now, times, warmUp, counted, window.Totals()); err != nil {
				return err
			}
		}
	}
}
