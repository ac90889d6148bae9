package inclusion

import (
	"context"
	"errors"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
)

const (
	// pollEvery is how often a node that announces nothing is asked for its next block.
	pollEvery = 20 * time.Millisecond
	// checkEvery is how often one that announces blocks is asked all the same.
	checkEvery = time.Second
	// moveOnAfter is how long a node may fail before another one is watched.
	moveOnAfter = time.Second
)

var errSilent = errors.New("the subscription to new blocks ended")

// Watcher sees every block of the chain, in order, as one node has them; if that fails it goes on with the next.
// It takes blocks as final: one that is replaced later stays counted.
type Watcher struct {
	// Nodes to watch, the best first.
	Nodes []*member.Node
	// Announces tells of each node whether it announces blocks by itself.
	Announces []bool
	// Next height to see.
	Next uint64
	// Seen is called for each block, when it has arrived.
	Seen func(block *member.Block, at time.Time)
	// Log is told of failures.
	Log func(format string, args ...any)
}

// Run watches until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i = (i + 1) % len(w.Nodes) {
		if err := w.watch(ctx, w.Nodes[i], w.Announces[i]); err != nil && ctx.Err() == nil {
			w.Log("watching blocks: %v", err)
			sleep(ctx, pollEvery)
		}
	}
}

// watch follows one node until it has failed for a while.
func (w *Watcher) watch(ctx context.Context, node *member.Node, announces bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	announced, every := make(chan struct{}, 1), pollEvery
	if announces {
		if err := node.Announcements(ctx, announced); err != nil {
			return err
		}
		every = checkEvery
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for healthy := time.Now(); ; {
		err := w.advance(ctx, node)
		if err == nil {
			healthy = time.Now()
		} else if time.Since(healthy) > moveOnAfter {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		case _, open := <-announced:
			if !open {
				return errSilent
			}
		}
	}
}

// advance takes all blocks that the node has by now.
func (w *Watcher) advance(ctx context.Context, node *member.Node) error {
	for {
		block, err := node.Block(ctx, w.Next)
		if err != nil || block == nil {
			return err
		}
		w.Next++
		w.Seen(block, time.Now())
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
