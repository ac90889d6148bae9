package drive

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
)

// tokenState is the state of the contract at a block.
type tokenState struct {
	// owned is the sum over the worker's accounts, received the number of the common recipient, and supply the number of all tokens.
	owned, received, supply *big.Int
}

func (c *session) readTokens(ctx context.Context, block string) (tokenState, error) {
	state := tokenState{owned: new(big.Int)}
	for _, h := range c.senders {
		tokens, err := c.readTokensOf(ctx, h.Node, h.accountAddresses(), block)
		if err != nil {
			return state, err
		}
		for _, n := range tokens {
			state.owned.Add(state.owned, n)
		}
	}
	inputs := [][]byte{transaction.BalanceInput(c.signer.Recipient()), transaction.SupplyInput()}
	numbers, err := c.senders[0].Node.CallContract(ctx, c.signer.Contract, inputs, block)
	if err == nil {
		state.received, state.supply = numbers[0], numbers[1]
	}
	return state, err
}

func (c *session) readTokensOf(ctx context.Context, node *member.Node, accounts []common.Address, block string) ([]*big.Int, error) {
	inputs := make([][]byte, len(accounts))
	for i, a := range accounts {
		inputs[i] = transaction.BalanceInput(a)
	}
	return node.CallContract(ctx, c.signer.Contract, inputs, block)
}

// findMissingTokens returns a violation if the tokens do not follow from the calls in the blocks. Other workers may mint, and pay the
// common recipient.
func (c *session) findMissingTokens(final ledgerState) string {
	if c.initialState.err != nil || !c.workload.Operation.HasCalls() {
		return ""
	}
	effects, before, after := c.tracker.Effects(), c.initialState.tokens, final.tokens
	gained := new(big.Int).Sub(after.owned, before.owned)
	if gained.Cmp(big.NewInt(effects.Minted-effects.Sent)) != 0 {
		return fmt.Sprintf("the worker's accounts have %d tokens more than before, but minted %d and sent %d", gained, effects.Minted, effects.Sent)
	}
	received := new(big.Int).Sub(after.received, before.received)
	if received.Cmp(big.NewInt(effects.SentToSame)) < 0 {
		return fmt.Sprintf("the recipient has %d tokens more than before, but %d transfers sent one each", received, effects.SentToSame)
	}
	created := new(big.Int).Sub(after.supply, before.supply)
	if order := created.Cmp(big.NewInt(effects.Minted)); order < 0 || order > 0 && c.worker.Workers == 1 {
		return fmt.Sprintf("there are %d tokens more than before, but the worker minted %d", created, effects.Minted)
	}
	return ""
}

// findMissingAddresses returns a violation if a fresh recipient does not have its token, or a created contract has no code. It checks a
// sample of both, and returns an error if they cannot be read.
func (c *session) findMissingAddresses(ctx context.Context) (violation string, err error) {
	if !c.workload.Operation.HasCalls() {
		return "", nil
	}
	effects, node, block := c.tracker.Effects(), c.senders[0].Node, hexutil.EncodeUint64(uint64(c.blocks.newestBlock().Height))
	tokens, err := c.readTokensOf(ctx, node, effects.Fresh, block)
	if err != nil {
		return "", fmt.Errorf("the fresh recipients could not be read: %w", err)
	}
	for i, n := range tokens {
		if n.Cmp(big.NewInt(1)) != 0 {
			return fmt.Sprintf("the fresh recipient %s has %d tokens, want the one that was sent", effects.Fresh[i], n), nil
		}
	}
	codes, err := node.Codes(ctx, effects.Contracts, block)
	if err != nil {
		return "", fmt.Errorf("the created contracts could not be read: %w", err)
	}
	for i, code := range codes {
		if len(code) == 0 {
			return fmt.Sprintf("the created contract %s has no code", effects.Contracts[i]), nil
		}
	}
	return "", nil
}
