package openloop

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// pollInterval is how often a node without notifications is polled for its next block.
	pollInterval = 20 * time.Millisecond
	// checkInterval is how often a node with notifications is polled as well.
	checkInterval = time.Second
	// failoverDelay is how long a node may fail before the watcher switches to the next.
	failoverDelay = time.Second
)

var errSubscriptionEnded = errors.New("the subscription to new blocks ended")

// WatchedNode is a node whose blocks a Watcher reports.
type WatchedNode[Block any] struct {
	Name string
	// BlockAt returns the block at a height, or nil if the node does not have it yet.
	BlockAt func(ctx context.Context, height uint64) (*Block, error)
	// Subscribe sends on the channel whenever the node has a new block, until ctx ends. It closes the channel if the
	// connection fails. It is nil for a node that is polled.
	Subscribe func(ctx context.Context, to chan<- struct{}) error
}

// Watcher reports every block of the chain in order, as seen by one node. If that node fails, it continues
// with the next. It treats blocks as final: transactions of a block that is replaced later remain counted.
type Watcher[Block any] struct {
	// Nodes lists the nodes to watch in order of preference.
	Nodes []WatchedNode[Block]
	// NextHeight is the height of the next block to report.
	NextHeight uint64
	// OnBlock is called for each block when it arrives.
	OnBlock func(block *Block, at time.Time)
}

// Start watches the chain in the background until ctx ends or the returned function is called, which waits for the end.
func (w *Watcher[_]) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { w.watchNodes(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

func (w *Watcher[_]) watchNodes(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i = (i + 1) % len(w.Nodes) {
		if err := w.watchNode(ctx, w.Nodes[i]); err != nil && ctx.Err() == nil {
			slog.Warn("watch of blocks failed", "member", w.Nodes[i].Name, "err", err)
			SleepUntil(ctx, time.Now().Add(pollInterval))
		}
	}
}

// watchNode follows one node until it has failed for failoverDelay or its subscription ends.
func (w *Watcher[Block]) watchNode(ctx context.Context, node WatchedNode[Block]) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	announced, every := make(chan struct{}, 1), pollInterval
	if node.Subscribe != nil {
		if err := node.Subscribe(ctx, announced); err != nil {
			return err
		}
		every = checkInterval
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for healthy := time.Now(); ; {
		err := w.fetchBlocks(ctx, node)
		if err == nil {
			healthy = time.Now()
		} else if time.Since(healthy) > failoverDelay {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		case _, open := <-announced:
			if !open {
				return errSubscriptionEnded
			}
		}
	}
}

// fetchBlocks reports all new blocks of the node.
func (w *Watcher[Block]) fetchBlocks(ctx context.Context, node WatchedNode[Block]) error {
	for {
		block, err := node.BlockAt(ctx, w.NextHeight)
		if err != nil || block == nil {
			return err
		}
		w.NextHeight++
		w.OnBlock(block, time.Now())
	}
}
