package drive

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/drivers/internal/worker"
	"github.com/benchnet/benchnet/internal/platform/evm"
)

// startWatching starts watching the chain through the nodes of this worker's senders, one at a time. It uses
// their head URLs if there are any.
func (c *session) startWatching(ctx context.Context) error {
	var nodes []*member.Node
	w := &openloop.Watcher[member.Block]{}
	for _, h := range c.senders {
		url := c.workload.Targets[h.Target].Address
		if heads := c.workload.Operation.Heads; len(heads) > 0 {
			url = heads[h.Target]
		}
		node, err := c.connectNode(ctx, h.Node.Name, url)
		if err != nil {
			return err
		}
		watched := openloop.WatchedNode[member.Block]{Name: node.Name, BlockAt: node.BlockAt}
		if c.workload.Operation.HasCalls() {
			watched.BlockAt = node.BlockWithReceipts
		}
		if evm.SupportsSubscriptions(url) {
			watched.Subscribe = node.SubscribeBlocks
		}
		w.Nodes = append(w.Nodes, watched)
		nodes = append(nodes, node)
	}
	newest, err := nodes[0].NewestBlock(ctx)
	if err != nil {
		return err
	}
	if limit := c.workload.Operation.MaxFeePerGasWei; newest.BaseFee.ToInt().Cmp(evm.ParseWei(limit)) > 0 {
		return fmt.Errorf("operation.maxFeePerGasWei: %s, but the base fee on %s is %d", limit, w.Nodes[0].Name, newest.BaseFee.ToInt())
	}
	w.NextHeight = uint64(newest.Height) + 1
	c.blocks = &blockLog{signer: c.signer, newest: newest, spent: new(big.Int)}
	w.OnBlock = func(b *member.Block, at time.Time) {
		if !b.SeenAt.IsZero() {
			at = b.SeenAt
		}
		c.blocks.addBlock(b, c.tracker.MarkIncluded(b, at), at)
	}
	c.stopWatching = w.Start(ctx)
	return nil
}

// sendTrialTransfers sends one transfer from each sender and waits until blocks include them.
func (c *session) sendTrialTransfers(ctx context.Context) error {
	var flights []*load.Flight
	for _, h := range c.senders {
		t, err := h.sequence.SignTransfer()
		if err != nil {
			return err
		}
		f := &load.Flight{Transaction: t, Sender: h.Index}
		flights = append(flights, f)
		c.tracker.MarkSent([]*load.Flight{f}, time.Time{}, time.Now())
		refused, err := h.Node.Submit(ctx, []*transaction.Transaction{t})
		if err == nil {
			err = refused[0]
		}
		if err != nil {
			return fmt.Errorf("%s refused the trial transfer of account %d: %w", h.Node.Name, t.Account.Index, err)
		}
	}
	if err := c.awaitFlights(ctx, flights); err != nil {
		return err
	}
	return c.checkTrial(ctx, flights)
}

// awaitFlights waits until blocks include transactions of the set-up.
func (c *session) awaitFlights(ctx context.Context, flights []*load.Flight) error {
	deadline := time.Now().Add(trialTimeout)
	for {
		waiting := c.tracker.FilterNotIncluded(flights)
		switch {
		case len(waiting) == 0:
			return nil
		case time.Now().After(deadline):
			f := waiting[0]
			return fmt.Errorf("no block holds the transaction %s of account %d after %s, up to height %d: does the network create blocks?",
				f.Hash, f.Account.Index, trialTimeout, uint64(c.blocks.newestBlock().Height))
		case ctx.Err() != nil:
			return worker.ErrStopped
		}
		openloop.SleepUntil(ctx, time.Now().Add(signingPollInterval))
	}
}

// checkTrial fails if a trial transfer was reverted because of its recipient or gas limit.
func (c *session) checkTrial(ctx context.Context, flights []*load.Flight) error {
	for i, h := range c.senders {
		receipt, err := h.Node.ReceiptOf(ctx, flights[i].Hash)
		if err != nil {
			return err
		}
		if receipt == nil {
			continue
		}
		if receipt.IsReverted() {
			return fmt.Errorf("the trial transfer %s to %s was reverted: want a recipient without code, or a higher gasLimit",
				flights[i].Hash, c.signer.Recipient())
		}
		c.runsCode = c.runsCode || receipt.GasUsed != evm.DefaultGasLimit && !c.workload.Operation.HasCalls()
	}
	return nil
}
