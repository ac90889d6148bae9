// Package transfer derives the accounts of a run from one seed, and signs plain ether transfers between them ahead of time.
package transfer

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/benchnet/benchnet/internal/platform/evm"
)

// Transfer is one signed transaction.
type Transfer struct {
	// Raw is the argument of eth_sendRawTransaction.
	Raw     []byte
	Hash    common.Hash
	Account *Account
	Nonce   uint64
}

// Signer signs transfers that differ only in account and nonce.
type Signer struct {
	signer          types.Signer
	chainID         *big.Int
	to              common.Address
	value           *big.Int
	gas             uint64
	feeCap, tipCap  *big.Int
	costPerTransfer *big.Int
}

// NewSigner returns a signer for the transfers of an operation.
func NewSigner(o evm.Operation) *Signer {
	chain := new(big.Int).SetUint64(o.ChainID)
	s := &Signer{
		signer: types.LatestSignerForChainID(chain), chainID: chain, to: common.HexToAddress(o.Recipient), gas: o.GasLimit,
		value: evm.ParseWei(o.ValueWei), feeCap: evm.ParseWei(o.MaxFeePerGasWei), tipCap: evm.ParseWei(o.MaxPriorityFeePerGasWei),
	}
	s.costPerTransfer = new(big.Int).Mul(s.feeCap, new(big.Int).SetUint64(s.gas))
	s.costPerTransfer.Add(s.costPerTransfer, s.value)
	return s
}

// MaxCost returns the maximum cost of n transfers for an account.
func (s *Signer) MaxCost(n int64) *big.Int { return new(big.Int).Mul(s.costPerTransfer, big.NewInt(n)) }

// Cost returns what a transfer that uses the given gas costs its account in a block with a base fee.
func (s *Signer) Cost(gas uint64, baseFee *big.Int) *big.Int {
	price := new(big.Int).Add(baseFee, s.tipCap)
	if price.Cmp(s.feeCap) > 0 {
		price.Set(s.feeCap)
	}
	return price.Add(price.Mul(price, new(big.Int).SetUint64(gas)), s.value)
}

// Value returns the amount of a transfer.
func (s *Signer) Value() *big.Int { return s.value }

// Recipient returns the recipient of all transfers.
func (s *Signer) Recipient() common.Address { return s.to }

// Sign returns the signed transfer of an account with a nonce.
func (s *Signer) Sign(a *Account, nonce uint64) (*Transfer, error) {
	tx, err := types.SignNewTx(a.Key, s.signer, &types.DynamicFeeTx{
		ChainID: s.chainID, Nonce: nonce, GasTipCap: s.tipCap, GasFeeCap: s.feeCap, Gas: s.gas, To: &s.to, Value: s.value})
	if err != nil {
		return nil, fmt.Errorf("sign nonce %d of %s: %w", nonce, a.Address, err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode nonce %d of %s: %w", nonce, a.Address, err)
	}
	return &Transfer{Raw: raw, Hash: tx.Hash(), Account: a, Nonce: nonce}, nil
}

// Sequence signs for several accounts in turn.
type Sequence struct {
	Signer   *Signer
	Accounts []*Account
	// Nonces are the next nonces in the order of Accounts.
	Nonces      []uint64
	nextAccount int
}

// SignNext signs the next transfer of the next account.
func (s *Sequence) SignNext() (*Transfer, error) {
	i := s.nextAccount
	s.nextAccount = (s.nextAccount + 1) % len(s.Accounts)
	t, err := s.Signer.Sign(s.Accounts[i], s.Nonces[i])
	s.Nonces[i]++
	return t, err
}

// SignAhead signs n transfers into a channel with the given buffer and then closes it. An error or the end of
// ctx closes it early.
func (s *Sequence) SignAhead(ctx context.Context, n int64, buffer int) <-chan *Transfer {
	signed := make(chan *Transfer, buffer)
	go func() {
		defer close(signed)
		for range n {
			t, err := s.SignNext()
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
