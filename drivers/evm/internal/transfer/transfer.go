// Package transfer signs plain transfers of ether ahead of time.
package transfer

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/benchnet/benchnet/drivers/evm/internal/account"
	"github.com/benchnet/benchnet/internal/evm"
)

// Transfer is one signed transaction.
type Transfer struct {
	// Raw is what eth_sendRawTransaction takes.
	Raw     []byte
	Hash    common.Hash
	Account *account.Account
	Nonce   uint64
}

// Signer signs transfers that differ in account and nonce alone.
type Signer struct {
	signer        types.Signer
	chain         *big.Int
	to            common.Address
	value         *big.Int
	gas           uint64
	feeCap, tip   *big.Int
	costPerAction *big.Int
}

// NewSigner signs as the operation says.
func NewSigner(o evm.Operation) *Signer {
	chain := new(big.Int).SetUint64(o.ChainID)
	s := &Signer{
		signer: types.LatestSignerForChainID(chain), chain: chain, to: common.HexToAddress(o.Recipient), gas: o.GasLimit,
		value: evm.Wei(o.ValueWei), feeCap: evm.Wei(o.MaxFeePerGasWei), tip: evm.Wei(o.MaxPriorityFeePerGasWei),
	}
	s.costPerAction = new(big.Int).Mul(s.feeCap, new(big.Int).SetUint64(s.gas))
	s.costPerAction.Add(s.costPerAction, s.value)
	return s
}

// Cost is the most that n transfers can take from an account.
func (s *Signer) Cost(n int64) *big.Int { return new(big.Int).Mul(s.costPerAction, big.NewInt(n)) }

// Sign makes the account's transfer with a nonce.
func (s *Signer) Sign(a *account.Account, nonce uint64) (*Transfer, error) {
	tx, err := types.SignNewTx(a.Key, s.signer, &types.DynamicFeeTx{
		ChainID: s.chain, Nonce: nonce, GasTipCap: s.tip, GasFeeCap: s.feeCap, Gas: s.gas, To: &s.to, Value: s.value})
	if err != nil {
		return nil, fmt.Errorf("sign nonce %d of %s: %w", nonce, a.Address, err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode nonce %d of %s: %w", nonce, a.Address, err)
	}
	return &Transfer{Raw: raw, Hash: tx.Hash(), Account: a, Nonce: nonce}, nil
}

// Sequence signs for several accounts in turn, each from its own nonce on.
type Sequence struct {
	Signer   *Signer
	Accounts []*account.Account
	// Nonces are the next ones, in the order of Accounts.
	Nonces []uint64
	at     int
}

// Next is the next account's next transfer.
func (s *Sequence) Next() (*Transfer, error) {
	i := s.at
	s.at = (s.at + 1) % len(s.Accounts)
	t, err := s.Signer.Sign(s.Accounts[i], s.Nonces[i])
	s.Nonces[i]++
	return t, err
}

// Ahead signs n transfers into a channel that holds at most buffer of them, and closes it. An error ends it early.
func (s *Sequence) Ahead(ctx context.Context, n int64, buffer int) <-chan *Transfer {
	signed := make(chan *Transfer, buffer)
	go func() {
		defer close(signed)
		for range n {
			t, err := s.Next()
			if err != nil {
				return
			}
			select {
			case signed <- t:
			case <-ctx.Done():
				return
			}
		}
	}()
	return signed
}
