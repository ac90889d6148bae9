package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// settleTimeout bounds the wait for a state: for transactions of an earlier run, or for a node that is behind.
	settleTimeout = 2 * time.Second
	// memberTimeout bounds the wait for a member that is behind, after the drain.
	memberTimeout = 10 * time.Second
)

var errUnsettled = errors.New("earlier transactions of the accounts were still pending at the start")

// ledgerState is the state of the worker's accounts and of the recipient at a block.
type ledgerState struct {
	// nonces are those of each sender's accounts.
	nonces [][]uint64
	// balance is the sum over the worker's accounts, received the balance of the recipient.
	balance, received *big.Int
	// tokens are those of a mix with calls.
	tokens tokenState
	// err is the reason why there is no state.
	err error
}

// readInitialState reads the state before the load. Without it the run continues, and its ledger is not checked.
func (c *session) readInitialState(ctx context.Context) error {
	err := openloop.RetryUntil(ctx, settleTimeout, func() error {
		c.initialState = c.readState(ctx, c.blocks.resetTotals())
		for i, h := range c.senders {
			if c.initialState.err == nil && !slices.Equal(c.initialState.nonces[i], h.sequence.Nonces) {
				c.initialState.err = errUnsettled
			}
		}
		return c.initialState.err
	})
	if err != nil {
		slog.Warn("ledger will not be checked", "err", err)
	}
	return ctx.Err()
}

// readState reads the state at a block, each sender's from its own node.
func (c *session) readState(ctx context.Context, at *member.Block) ledgerState {
	block, state := hexutil.EncodeUint64(uint64(at.Height)), ledgerState{balance: new(big.Int)}
	for _, h := range c.senders {
		nonces, err := h.Node.Nonces(ctx, h.accountAddresses(), block)
		if err != nil {
			return ledgerState{err: fmt.Errorf("the accounts' nonces could not be read: %w", err)}
		}
		balances, err := h.Node.Balances(ctx, h.accountAddresses(), block)
		if err != nil {
			return ledgerState{err: fmt.Errorf("the accounts' balances could not be read: %w", err)}
		}
		state.nonces = append(state.nonces, nonces)
		for _, balance := range balances {
			state.balance.Add(state.balance, balance)
		}
	}
	received, err := c.senders[0].Node.Balances(ctx, []common.Address{c.signer.Recipient()}, block)
	if err != nil {
		return ledgerState{err: fmt.Errorf("the recipient's balance could not be read: %w", err)}
	}
	state.received = received[0]
	if c.workload.Operation.HasCalls() {
		if state.tokens, err = c.readTokens(ctx, block); err != nil {
			return ledgerState{err: fmt.Errorf("the tokens could not be read: %w", err)}
		}
	}
	return state
}

// compareLedger compares the ledger at the last block seen with what the worker sent: the nonces with the
// transactions seen in blocks, the balances with their value and fees, the tokens with the calls, and the members with each other.
func (c *session) compareLedger(ctx context.Context) *measurement.Ledger {
	_, included := c.tracker.Counts()
	ledger := &measurement.Ledger{Expected: included}
	var final ledgerState
	err := openloop.RetryUntil(ctx, settleTimeout, func() error {
		final = c.readState(ctx, c.blocks.newestBlock())
		return final.err
	})
	if err != nil {
		ledger.Reason = err.Error()
		return ledger
	}
	recorded, lost := c.countRecorded(final)
	// A nonce is used once, so the chain doubles no transaction.
	ledger.Recorded, ledger.Lost, ledger.Doubled, ledger.Late = recorded, &lost, new(int64), new(c.tracker.CountLate())
	ledger.Violation = cmp.Or(c.findForeignTransactions(final), c.findMissingValue(final), c.findMissingTokens(final))
	unread := c.initialState.err
	if c.runsCode {
		unread = errors.New("the recipient has code, so that the fees of the transfers are unknown")
	}
	violation, err := c.findMissingAddresses(ctx)
	ledger.Violation, unread = cmp.Or(ledger.Violation, violation), cmp.Or(unread, err)
	// One worker compares all members, including those that it sends nothing to.
	if c.worker.Index == 0 {
		violation, err := c.findDivergentMember(ctx)
		ledger.Violation, unread = cmp.Or(ledger.Violation, violation), cmp.Or(unread, err)
	}
	if unread != nil {
		ledger.Reason = unread.Error()
	}
	ledger.Checked = unread == nil
	return ledger
}

// countRecorded returns the increase of all nonces, and how many transactions that were seen in blocks it lacks.
func (c *session) countRecorded(final ledgerState) (recorded, lost int64) {
	for i, h := range c.senders {
		for k, nonce := range final.nonces[i] {
			increase := int64(nonce) - int64(h.firstNonces[k])
			recorded, lost = recorded+increase, lost+max(0, c.tracker.IncludedOf(h.accounts[k])-increase)
		}
	}
	return recorded, lost
}

// findForeignTransactions returns a violation if an account has more transactions in blocks than the worker sent.
func (c *session) findForeignTransactions(final ledgerState) string {
	for i, h := range c.senders {
		for k, a := range h.accounts {
			recorded, sent := int64(final.nonces[i][k])-int64(h.firstNonces[k]), c.tracker.IncludedOf(a)
			if recorded > sent {
				return fmt.Sprintf("account %d (%s) has %d transactions on the chain, but the worker sent %d of them", a.Index, a.Address, recorded, sent)
			}
		}
	}
	return ""
}

// findMissingValue returns a violation if the balances do not follow from the transactions in the blocks. Other payments
// to the recipient are allowed, since other workers pay it as well.
func (c *session) findMissingValue(final ledgerState) string {
	if c.initialState.err != nil || c.runsCode {
		return ""
	}
	included, spent := c.blocks.readTotals()
	if decrease := new(big.Int).Sub(c.initialState.balance, final.balance); decrease.Cmp(spent) != 0 {
		return fmt.Sprintf("the worker's accounts have %d wei less than before, but %d transactions with their fees cost %d",
			decrease, included.Flights, spent)
	}
	paid := c.signer.PaidBy(included.Payments)
	if increase := new(big.Int).Sub(final.received, c.initialState.received); increase.Cmp(paid) < 0 {
		return fmt.Sprintf("the recipient has %d wei more than before, but %d transfers paid %d", increase, included.Payments, paid)
	}
	return ""
}

// findDivergentMember returns a violation if a member has another block at the height of the last block seen. It
// returns an error if a member does not have the block in time.
func (c *session) findDivergentMember(ctx context.Context) (violation string, err error) {
	want := c.blocks.newestBlock()
	for _, target := range c.workload.Targets {
		var block *member.Block
		err := openloop.RetryUntil(ctx, memberTimeout, func() (err error) {
			block, err = c.readBlock(ctx, target, uint64(want.Height))
			return err
		})
		if err != nil {
			return "", err
		}
		if block.Hash != want.Hash {
			return fmt.Sprintf("%s has block %s at height %d, where the watched node has %s", target.Name, block.Hash, want.Height, want.Hash), nil
		}
	}
	return "", nil
}

func (c *session) readBlock(ctx context.Context, target protocol.Target, height uint64) (*member.Block, error) {
	node, err := c.connectNode(ctx, target.Name, target.Address)
	if err != nil {
		return nil, err
	}
	block, err := node.BlockAt(ctx, height)
	if err == nil && block == nil {
		err = fmt.Errorf("%s has not reached the height %d of the last block", target.Name, height)
	}
	return block, err
}
