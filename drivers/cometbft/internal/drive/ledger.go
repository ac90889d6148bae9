package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/benchnet/benchnet/drivers/cometbft/internal/member"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// memberTimeout bounds the wait for a member that is behind, after the drain.
const memberTimeout = 10 * time.Second

// compareLedger reads the chain of the run again, up to the last block seen, if possible from a node that the worker did
// not watch. It compares that chain with the transactions that the watcher saw in blocks, and the members' last blocks
// with each other. A transaction in no block is an operation that is unfinished and no violation, since a mempool may
// lose what it accepted.
func (c *session) compareLedger(ctx context.Context) *measurement.Ledger {
	ledger := &measurement.Ledger{Expected: c.tracker.included}
	err := errors.New("no block was seen")
	if c.tracker.newest != nil {
		err = c.rereadChain(ctx, ledger)
	}
	// One worker compares all members.
	if err == nil && ledger.Violation == "" && c.worker.Index == 0 {
		ledger.Violation, err = c.findDivergentMember(ctx)
	}
	if err != nil {
		ledger.Reason = err.Error()
	}
	ledger.Checked = err == nil
	return ledger
}

// rereadChain compares the chain with the worker's transactions. A transaction in two blocks is a violation. It tries one
// node after the other until one has the whole chain.
func (c *session) rereadChain(ctx context.Context, ledger *measurement.Ledger) (err error) {
	for i := range c.nodes {
		node := c.nodes[(c.senders[0].Target+1+i)%len(c.nodes)]
		if err = c.rereadNode(ctx, node, ledger); err == nil {
			break
		}
	}
	return err
}

func (c *session) rereadNode(ctx context.Context, node *member.Node, ledger *measurement.Ledger) error {
	heights := make(map[member.Hash]uint64, c.tracker.included)
	var lost, doubled, late int64
	violation := ""
	for height := c.firstHeight; height <= c.tracker.newest.Height; height++ {
		b, err := readBlock(ctx, node, height)
		if err != nil {
			return err
		}
		for _, hash := range b.Transactions {
			if c.tracker.flights[hash] == nil {
				continue
			}
			if other, twice := heights[hash]; twice {
				doubled++
				violation = cmp.Or(violation, fmt.Sprintf("transaction %s is in the blocks at heights %d and %d of %s", hash, other, height, node.Name))
				continue
			}
			heights[hash] = height
		}
	}
	for hash, f := range c.tracker.flights {
		switch _, found := heights[hash]; {
		case found && f.failed:
			late++
		case !found && f.state == stateIncluded:
			lost++
		}
	}
	ledger.Recorded, ledger.Violation = int64(len(heights)), violation
	ledger.Lost, ledger.Doubled, ledger.Late = &lost, &doubled, &late
	return nil
}

// findDivergentMember returns a violation if a member has another block, and so another state of the application before
// it, at the height of the last block seen.
func (c *session) findDivergentMember(ctx context.Context) (string, error) {
	want := c.tracker.newest
	for _, node := range c.nodes {
		b, err := readBlock(ctx, node, want.Height)
		if err != nil {
			return "", err
		}
		if b.Hash != want.Hash {
			return fmt.Sprintf("%s has block %s at height %d, where the watched node has %s", node.Name, b.Hash, want.Height, want.Hash), nil
		}
	}
	return "", nil
}

// readBlock reads a block that the node may not have yet.
func readBlock(ctx context.Context, node *member.Node, height uint64) (b *member.Block, err error) {
	err = openloop.RetryUntil(ctx, memberTimeout, func() (err error) {
		if b, err = node.BlockAt(ctx, height); err == nil && b == nil {
			err = fmt.Errorf("%s has not reached the height %d", node.Name, height)
		}
		return err
	})
	return b, err
}
