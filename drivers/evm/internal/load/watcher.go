package load

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
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

// Watcher reports every block of the chain in order, as seen by one node. If that node fails, it continues
// with the next. It treats blocks as final: transactions of a block that is replaced later remain counted.
type Watcher struct {
	// Nodes lists the nodes to watch in order of preference.
	Nodes []*member.Node
	// Announces states for each node whether it pushes notifications of new blocks.
	Announces []bool
	// NextHeight is the height of the next block to report.
	NextHeight uint64
	// OnBlock is called for each block when it arrives.
	OnBlock func(block *member.Block, at time.Time)
}

// Run watches the chain until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i = (i + 1) % len(w.Nodes) {
		if err := w.watchNode(ctx, w.Nodes[i], w.Announces[i]); err != nil && ctx.Err() == nil {
			slog.Warn("watch of blocks failed", "member", w.Nodes[i].Name, "err", err)
			sleepContext(ctx, pollInterval)
		}
	}
}

// watchNode follows one node until it has failed for failoverDelay or its subscription ends.
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

// fetchBlocks reports all new blocks of the node.
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
