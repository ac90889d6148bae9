package drive

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/account"
	"github.com/benchnet/benchnet/drivers/evm/internal/inclusion"
	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transfer"
	"github.com/benchnet/benchnet/internal/evm"
)

const (
	// dialPatience is how long a node may take to answer for the first time.
	dialPatience = 10 * time.Second
	// trialPatience is how long the chain may take to hold a sender's trial transfer.
	trialPatience = 60 * time.Second
)

var errStopped = errors.New("the driver was stopped before the run was over")

// hand is one of the crew: a sender, its accounts, and where their nonces were at first.
type hand struct {
	*load.Sender
	sequence *transfer.Sequence
	accounts []*account.Account
	first    []uint64
}

// crew is all that a worker needs for its run.
type crew struct {
	worker  *Worker
	hands   []*hand
	nodes   map[string]*member.Node
	tracker *inclusion.Tracker
	watcher *inclusion.Watcher
	blocks  blockLog
	stop    context.CancelFunc
	stopped chan struct{}
}

// close ends what runs in the background, and the connections.
func (c *crew) close() {
	if c.stop != nil {
		c.stop()
		<-c.stopped
	}
	for _, n := range c.nodes {
		n.Close()
	}
}

// setUp connects to the nodes, checks them and the accounts, tries one transfer of each sender, and signs ahead.
func (w *Worker) setUp(ctx context.Context) (*crew, error) {
	if n := w.Workload.Senders(w.Workers); w.Workload.Operation.Accounts < n {
		return nil, fmt.Errorf("operation.accounts: %d for %d senders; want at least one each", w.Workload.Operation.Accounts, n)
	}
	c := &crew{worker: w, nodes: map[string]*member.Node{}, tracker: inclusion.NewTracker()}
	for _, step := range []func(context.Context) error{c.muster, c.watch, c.trial, c.sign} {
		if err := step(ctx); err != nil {
			c.close()
			if ctx.Err() != nil {
				err = errStopped
			}
			return nil, err
		}
	}
	return c, nil
}

// muster makes the senders.
func (c *crew) muster(ctx context.Context) error {
	seed, err := account.ReadSeed(c.worker.Workload.Operation.SeedFile)
	if err != nil {
		return err
	}
	signer := transfer.NewSigner(c.worker.Workload.Operation)
	for _, share := range c.worker.Workload.Share(c.worker.Index, c.worker.Workers) {
		h, err := c.hire(ctx, share, seed, signer)
		if err != nil {
			return err
		}
		c.hands = append(c.hands, h)
	}
	return nil
}

func (c *crew) hire(ctx context.Context, share evm.Sender, seed account.Seed, signer *transfer.Signer) (*hand, error) {
	workload := c.worker.Workload
	target := workload.Targets[share.Target]
	node, err := c.connect(ctx, target.Name, target.Address)
	if err != nil {
		return nil, err
	}
	h := &hand{Sender: &load.Sender{Sender: share, Node: node, Clients: workload.Load.Clients, Tracker: c.tracker}}
	if h.Limit, err = c.batchLimit(ctx, node, share); err != nil {
		return nil, err
	}
	if h.accounts, err = seed.Accounts(share.Accounts); err != nil {
		return nil, err
	}
	if err := h.checkFunds(ctx, signer.Cost(c.transfersPerAccount(share))); err != nil {
		return nil, err
	}
	if h.first, err = node.Nonces(ctx, h.addresses(), member.PendingBlock); err != nil {
		return nil, err
	}
	h.sequence = &transfer.Sequence{Signer: signer, Accounts: h.accounts, Nonces: append([]uint64(nil), h.first...)}
	return h, nil
}

// connect dials a node once, and holds it to the chain.
func (c *crew) connect(ctx context.Context, name, address string) (*member.Node, error) {
	if n := c.nodes[address]; n != nil {
		return n, nil
	}
	node, chain, err := member.Dial(ctx, name, address, c.worker.Workload.Load.Clients+1, dialPatience)
	if err != nil {
		return nil, err
	}
	c.nodes[address] = node
	if want := c.worker.Workload.Operation.ChainID; chain != want {
		return nil, fmt.Errorf("operation.chainId: %d, but %s at %s is on chain %d", want, name, address, chain)
	}
	return node, nil
}

// batchLimit is how many transfers go into one JSON-RPC batch.
func (c *crew) batchLimit(ctx context.Context, node *member.Node, share evm.Sender) (int, error) {
	wanted := share.Largest()
	limit, err := node.BatchLimit(ctx, wanted)
	if err == nil && limit < wanted {
		c.worker.Log("%s does not take %d calls in a JSON-RPC batch: batches are split into parts of at most %d", node.Name, wanted, limit)
	}
	return limit, err
}

// span is how long load is applied.
func (c *crew) span() time.Duration {
	m := c.worker.Workload.Measure
	return time.Duration(m.WarmUpSeconds+m.WindowSeconds) * time.Second
}

// transfersPerAccount is the most that an account sends, the trial included.
func (c *crew) transfersPerAccount(share evm.Sender) int64 {
	return share.Due(share.Batches(c.span()))/int64(len(share.Accounts)) + 2
}

func (h *hand) addresses() []common.Address {
	addresses := make([]common.Address, len(h.accounts))
	for i, a := range h.accounts {
		addresses[i] = a.Address
	}
	return addresses
}

// checkFunds refuses accounts that cannot pay for their part of the run.
func (h *hand) checkFunds(ctx context.Context, need *big.Int) error {
	balances, err := h.Node.Balances(ctx, h.addresses())
	if err != nil {
		return err
	}
	for i, balance := range balances {
		if balance.Cmp(need) < 0 {
			return fmt.Errorf("account %d (%s) has %d wei on %s, but needs %d for the run: "+
				"fund the accounts of the seed in the genesis (evm accounts --fund), or lower maxFeePerGasWei",
				h.accounts[i].Index, h.accounts[i].Address, balance, h.Node.Name, need)
		}
	}
	return nil
}

// sign begins to sign ahead, and waits until as much is signed as may be kept.
func (c *crew) sign(ctx context.Context) error {
	for _, h := range c.hands {
		total := h.Due(h.Batches(c.span()))
		buffer := min(total, max(int64(c.worker.Workload.Operation.SignedAhead)/int64(len(c.hands)), 2*int64(h.Largest())))
		signed := h.sequence.Ahead(ctx, total, int(buffer))
		h.Signed = signed
		for int64(len(signed)) < buffer {
			select {
			case <-ctx.Done():
				return errStopped
			case <-time.After(startEvery):
			}
		}
	}
	return nil
}
