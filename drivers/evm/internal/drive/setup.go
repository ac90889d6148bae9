// Package drive runs one worker of the EVM load driver: it connects the parts of the driver.
package drive

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/drivers/internal/worker"
	"github.com/benchnet/benchnet/internal/platform/evm"
)

const (
	// dialTimeout is how long a node may take to respond for the first time.
	dialTimeout = 10 * time.Second
	// trialTimeout is how long the chain may take to include transactions of the set-up.
	trialTimeout = 60 * time.Second
)

// signingPollInterval is how often the driver checks whether enough transactions are signed.
const signingPollInterval = 5 * time.Millisecond

// preparedSender is a sender with its accounts and their initial nonces.
type preparedSender struct {
	*load.Sender
	sequence    *transaction.Sequence
	accounts    []*transaction.Account
	firstNonces []uint64
}

// session holds the state of a worker's run.
type session struct {
	worker   *worker.Worker
	workload *evm.Workload
	senders  []*preparedSender
	nodes    map[string]*member.Node
	tracker  *load.Tracker
	signer   *transaction.Signer
	// deployer creates the contract of a mix.
	deployer     *transaction.Account
	blocks       *blockLog
	initialState ledgerState
	// runsCode is set if the recipient has code, so that a transfer's fee is unknown.
	runsCode     bool
	stopWatching func()
}

// ShutDown stops the watcher and closes the connections.
func (c *session) ShutDown() {
	c.stopWatcher()
	for _, n := range c.nodes {
		n.Close()
	}
}

func (c *session) stopWatcher() {
	if c.stopWatching != nil {
		c.stopWatching()
		c.stopWatching = nil
	}
}

// SetUp reads the workload, connects to the nodes, checks them and the accounts, sends a trial transfer from each
// sender, prepares the contract of a mix, and signs ahead.
func SetUp(ctx context.Context, w *worker.Worker) (worker.Session, error) {
	workload, err := evm.ReadWorkload(w.WorkloadPath)
	if err != nil {
		return nil, err
	}
	if n := workload.SenderCount(w.Workers); workload.Operation.Accounts < n {
		return nil, fmt.Errorf("operation.accounts: %d for %d senders; want at least one for each", workload.Operation.Accounts, n)
	}
	c := &session{worker: w, workload: workload, nodes: map[string]*member.Node{}, tracker: load.NewTracker(), signer: transaction.NewSigner(workload.Operation)}
	for _, step := range []func(context.Context) error{
		c.prepareSenders, c.startWatching, c.sendTrialTransfers, c.prepareContract, c.readInitialState, c.startSigning,
	} {
		if err := step(ctx); err != nil {
			c.ShutDown()
			if ctx.Err() != nil {
				err = worker.ErrStopped
			}
			return nil, err
		}
	}
	return c, nil
}

// prepareSenders creates the senders of this worker.
func (c *session) prepareSenders(ctx context.Context) error {
	seed, err := transaction.ReadSeed(c.workload.Operation.SeedFile)
	if err != nil {
		return err
	}
	if c.deployer, c.signer.Contract, err = seed.Deployer(); err != nil {
		return err
	}
	for _, share := range c.workload.WorkerSenders(c.worker.Index, c.worker.Workers) {
		h, err := c.prepareSender(ctx, share, seed)
		if err != nil {
			return err
		}
		c.senders = append(c.senders, h)
	}
	return nil
}

func (c *session) prepareSender(ctx context.Context, share evm.Sender, seed transaction.Seed) (*preparedSender, error) {
	target := c.workload.Targets[share.Target]
	node, err := c.connectNode(ctx, target.Name, target.Address)
	if err != nil {
		return nil, err
	}
	h := &preparedSender{Sender: load.NewSender(share.Sender, node, int(c.workload.Load.Clients), c.tracker)}
	_, largest := share.BatchTotals(c.loadDuration())
	if h.Limit, err = node.BatchLimit(ctx, max(1, int(largest))); err != nil {
		return nil, err
	}
	if c.workload.Operation.HasCalls() {
		h.Limit = min(h.Limit, c.workload.Operation.MaxBatch())
	}
	if h.accounts, err = seed.Accounts(share.Accounts); err != nil {
		return nil, err
	}
	if err := h.checkRecipient(c.signer.Recipient()); err != nil {
		return nil, err
	}
	if err := h.checkFunds(ctx, c.signer.MaxCost(c.maxTransactionsPerAccount(share))); err != nil {
		return nil, err
	}
	if h.firstNonces, err = node.Nonces(ctx, h.accountAddresses(), member.PendingBlock); err != nil {
		return nil, err
	}
	h.sequence = &transaction.Sequence{Signer: c.signer, Accounts: h.accounts, Nonces: slices.Clone(h.firstNonces),
		Mix: transaction.NewMix(c.workload.Operation.Mix, c.workload.MixSeed(), share.Index)}
	return h, nil
}

// connectNode connects to a node once, and fails if it is on another chain.
func (c *session) connectNode(ctx context.Context, name, address string) (*member.Node, error) {
	if n := c.nodes[address]; n != nil {
		return n, nil
	}
	node, chain, err := member.Dial(ctx, name, address, int(c.workload.Load.Clients)+1, dialTimeout)
	if err != nil {
		return nil, err
	}
	c.nodes[address] = node
	if want := c.workload.Operation.ChainID; chain != want {
		return nil, fmt.Errorf("operation.chainId: %d, but %s at %s is on chain %d", want, name, address, chain)
	}
	return node, nil
}

// loadDuration returns how long load is applied.
func (c *session) loadDuration() time.Duration {
	m := c.workload.Measure
	return time.Duration(m.WarmUpSeconds+m.WindowSeconds) * time.Second
}

// maxTransactionsPerAccount returns the maximum number of transactions of one account: its share of the total, rounded up, and the
// trial. Without a mix, these are transfers.
func (c *session) maxTransactionsPerAccount(share evm.Sender) int64 {
	total, _ := share.BatchTotals(c.loadDuration())
	return total/int64(len(share.Accounts)) + 2
}

func (h *preparedSender) accountAddresses() []common.Address {
	addresses := make([]common.Address, len(h.accounts))
	for i, a := range h.accounts {
		addresses[i] = a.Address
	}
	return addresses
}

// checkRecipient fails if the recipient is a sending account, whose balance would then not show what was spent.
func (h *preparedSender) checkRecipient(recipient common.Address) error {
	for _, a := range h.accounts {
		if a.Address == recipient {
			return fmt.Errorf("operation.recipient: %s is account %d of the seed; want an account that sends nothing", recipient, a.Index)
		}
	}
	return nil
}

// checkFunds fails if an account cannot pay for its part of the run.
func (h *preparedSender) checkFunds(ctx context.Context, need *big.Int) error {
	balances, err := h.Node.Balances(ctx, h.accountAddresses(), member.LatestBlock)
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

// startSigning starts signing ahead, and waits until the buffer of each sender is full.
func (c *session) startSigning(ctx context.Context) error {
	for _, h := range c.senders {
		total, largest := h.BatchTotals(c.loadDuration())
		buffer := min(total, max(c.workload.Operation.MaxSignedAhead()/int64(len(c.senders)), 2*largest))
		signed := h.sequence.SignAhead(ctx, total, int(buffer))
		h.Signed = signed
		for int64(len(signed)) < buffer {
			select {
			case <-ctx.Done():
				return worker.ErrStopped
			case <-time.After(signingPollInterval):
			}
		}
	}
	return nil
}
