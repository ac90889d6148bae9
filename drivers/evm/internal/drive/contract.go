package drive

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/internal/platform/evm"
)

// maxGrants is the maximum number of grants of tokens that wait for blocks at a time.
const maxGrants = 500

var errNoContract = errors.New("the contract of the mix is not deployed")

// prepareContract waits until the contract of a mix exists, and gives tokens to the accounts of this worker that have none. Worker 0
// creates the contract unless an earlier run did.
func (c *session) prepareContract(ctx context.Context) error {
	if !c.workload.Operation.HasCalls() {
		return nil
	}
	deployed := c.checkContract(ctx, c.senders[0].Node)
	if errors.Is(deployed, errNoContract) && c.worker.Index == 0 {
		if err := c.deployContract(ctx); err != nil {
			return err
		}
	}
	for _, h := range c.senders {
		if err := openloop.RetryUntil(ctx, trialTimeout, func() error { return c.checkContract(ctx, h.Node) }); err != nil {
			return err
		}
		if err := c.grantTokens(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// checkContract returns errNoContract if a node does not have the contract yet.
func (c *session) checkContract(ctx context.Context, node *member.Node) error {
	codes, err := node.Codes(ctx, []common.Address{c.signer.Contract}, member.LatestBlock)
	if err == nil && len(codes[0]) == 0 {
		err = errNoContract
	}
	return err
}

// deployContract lets the first account pay the deployer, which then creates the contract. The deployer sends nothing else, so the
// address of the contract is known.
func (c *session) deployContract(ctx context.Context) error {
	h := c.senders[0]
	payment, err := h.sequence.SignFor(0, func(a *transaction.Account, nonce uint64) (*transaction.Transaction, error) {
		return c.signer.SignPayment(a, nonce, c.deployer.Address)
	})
	if err != nil {
		return err
	}
	if err := c.includeTransactions(ctx, h, []*transaction.Transaction{payment}); err != nil {
		return err
	}
	deployment, err := c.signer.SignDeployment(c.deployer)
	if err != nil {
		return err
	}
	refused, err := h.Node.Submit(ctx, []*transaction.Transaction{deployment})
	if err == nil && refused[0] != nil && member.ClassifyRefusal(refused[0]) == member.NonceUnused {
		err = refused[0]
	}
	if err != nil {
		return fmt.Errorf("%s refused the contract of the mix: %w", h.Node.Name, err)
	}
	return nil
}

// grantTokens lets each account of a sender that has fewer than half of its grant mint it. Together, the grants that wait use at most
// half of a block.
func (c *session) grantTokens(ctx context.Context, h *preparedSender) error {
	tokens, err := c.readTokensOf(ctx, h.Node, h.accountAddresses(), member.LatestBlock)
	if err != nil {
		return err
	}
	atOnce := int(min(uint64(c.blocks.newestBlock().GasLimit)/2/evm.GasLimitOf(evm.KindMint), maxGrants, uint64(h.Limit)))
	var grants []*transaction.Transaction
	for i, n := range tokens {
		if n.Cmp(big.NewInt(transaction.TokenGrant/2)) < 0 {
			grant, err := h.sequence.SignFor(i, c.signer.SignGrant)
			if err != nil {
				return err
			}
			grants = append(grants, grant)
		}
		if len(grants) >= max(1, atOnce) || i == len(tokens)-1 {
			if err := c.includeTransactions(ctx, h, grants); err != nil {
				return err
			}
			grants = nil
		}
	}
	return openloop.RetryUntil(ctx, trialTimeout, func() error { return c.checkTokens(ctx, h) })
}

// checkTokens fails if an account of a sender has no tokens on its node, which may be behind the node whose blocks are watched.
func (c *session) checkTokens(ctx context.Context, h *preparedSender) error {
	tokens, err := c.readTokensOf(ctx, h.Node, h.accountAddresses(), member.LatestBlock)
	for i, n := range tokens {
		if n.Sign() == 0 {
			return fmt.Errorf("account %d has no tokens on %s after it minted some", h.accounts[i].Index, h.Node.Name)
		}
	}
	return err
}

// includeTransactions submits transactions of the set-up and waits until blocks include them.
func (c *session) includeTransactions(ctx context.Context, h *preparedSender, transactions []*transaction.Transaction) error {
	if len(transactions) == 0 {
		return nil
	}
	flights := make([]*load.Flight, len(transactions))
	for i, t := range transactions {
		flights[i] = &load.Flight{Transaction: t, Sender: h.Index}
	}
	c.tracker.MarkSent(flights, time.Time{}, time.Now())
	refused, err := h.Node.Submit(ctx, transactions)
	if err := errors.Join(append(refused, err)...); err != nil {
		return fmt.Errorf("%s refused transactions of the set-up: %w", h.Node.Name, err)
	}
	return c.awaitFlights(ctx, flights)
}
