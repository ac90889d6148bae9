package inclusion

import (
	"context"
	"errors"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
)

const (
	// pollInterval is how often a node that announces nothing is asked for its next block.
	pollInterval = 20 * time.Millisecond
	// checkInterval is how often one that announces blocks is asked all the same.
	checkInterval = time.Second
	// failoverDelay is how long a node may fail before another one is watched.
	failoverDelay = time.Second
)

var errSubscriptionEnded = errors.New("the subscription to new blocks ended")

// Watcher sees every block of the chain, in order, as one node has them; if that fails it goes on with the next.
// It takes blocks as final: one that is replaced later stays counted.
type Watcher struct {
	// Nodes to watch, the best first.
	Nodes []*member.Node
	// Announces tells of each node whether it announces blocks by itself.
	Announces []bool
	// NextHeight height to see.
	NextHeight uint64
	// OnBlock is called for each block, when it has arrived.
	OnBlock func(block *member.Block, at time.Time)
	// Log is told of failures.
	Log func(format string, args ...any)
}

// Run watches until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i = (i + 1) % len(w.Nodes) {
		if err := w.watchNode(ctx, w.Nodes[i], w.Announces[i]); err != nil && ctx.Err() == nil {
			w.Log("watching blocks: %v", err)
			sleepContext(ctx, pollInterval)
		}
	}
}

// watchNode follows one node until it has failed for a while.
func (w *Watcher) watchNode(ctx context.Context, node *member.Node, announces bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	announced, every := make(chan struct{}, 1), pollInterval
	if announces {
		if err := node.SubscribeBlocks(ctx, announced); err != nil {
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

// fetchBlocks takes all blocks that the node has by now.
func (w *Watcher) fetchBlocks(ctx context.Context, node *member.Node) error {
	for {
		block, err := node.BlockAt(ctx, w.NextHeight)
		if err != nil || block == nil {
			return err
		}
		w.NextHeight++
		w.OnBlock(block, time.Now())
	}
}

func sleepContext(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
