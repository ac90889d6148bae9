// Package transaction derives the accounts of a run from one seed, and signs their transactions ahead of time: plain ether transfers, or
// a mix of kinds.
package transaction

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/benchnet/benchnet/internal/platform/evm"
)

// Transaction is one signed transaction.
type Transaction struct {
	// Raw is the argument of eth_sendRawTransaction.
	Raw     []byte
	Hash    common.Hash
	Account *Account
	Nonce   uint64
	// Entry is the entry of the mix, or nil for a plain transfer without a mix and for a transaction of the set-up.
	Entry *evm.MixEntry
	// Created is the address of the contract that a Deploy creates, or the fresh recipient of a TokenTransfer.
	Created common.Address
}

// Signer signs the transactions of an operation.
type Signer struct {
	// Contract is the address of the contract that calls of a mix use.
	Contract common.Address

	signer         types.Signer
	chainID        *big.Int
	to             common.Address
	value          *big.Int
	gas            uint64
	feeCap, tipCap *big.Int
	maxCost        *big.Int
}

// message is the part of a transaction that depends on its kind. A value of nil is 0.
type message struct {
	to    *common.Address
	value *big.Int
	gas   uint64
	data  []byte
}

// NewSigner returns a signer for an operation.
func NewSigner(o evm.Operation) *Signer {
	chain := new(big.Int).SetUint64(o.ChainID)
	s := &Signer{
		signer: types.LatestSignerForChainID(chain), chainID: chain, to: common.HexToAddress(o.Recipient), gas: o.GasLimit,
		value: evm.ParseWei(o.ValueWei), feeCap: evm.ParseWei(o.MaxFeePerGasWei), tipCap: evm.ParseWei(o.MaxPriorityFeePerGasWei),
	}
	s.maxCost = new(big.Int).Mul(s.feeCap, new(big.Int).SetUint64(o.MaxGasLimit()))
	s.maxCost.Add(s.maxCost, s.value)
	return s
}

// MaxCost returns the maximum cost of n transactions for an account.
func (s *Signer) MaxCost(n int64) *big.Int { return new(big.Int).Mul(s.maxCost, big.NewInt(n)) }

// Price returns the fee per gas of a transaction in a block with a base fee.
func (s *Signer) Price(baseFee *big.Int) *big.Int {
	price := new(big.Int).Add(baseFee, s.tipCap)
	if price.Cmp(s.feeCap) > 0 {
		price.Set(s.feeCap)
	}
	return price
}

// PaidBy returns the value of n transfers.
func (s *Signer) PaidBy(n int64) *big.Int { return new(big.Int).Mul(s.value, big.NewInt(n)) }

// Recipient returns the recipient of all transfers.
func (s *Signer) Recipient() common.Address { return s.to }

// Sign returns the signed transfer of an account with a nonce.
func (s *Signer) Sign(a *Account, nonce uint64) (*Transaction, error) {
	return s.signMessage(a, nonce, message{to: &s.to, value: s.value, gas: s.gas})
}

func (s *Signer) signMessage(a *Account, nonce uint64, m message) (*Transaction, error) {
	tx, err := types.SignNewTx(a.Key, s.signer, &types.DynamicFeeTx{
		ChainID: s.chainID, Nonce: nonce, GasTipCap: s.tipCap, GasFeeCap: s.feeCap, Gas: m.gas, To: m.to, Value: m.value, Data: m.data})
	if err != nil {
		return nil, fmt.Errorf("sign nonce %d of %s: %w", nonce, a.Address, err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode nonce %d of %s: %w", nonce, a.Address, err)
	}
	return &Transaction{Raw: raw, Hash: tx.Hash(), Account: a, Nonce: nonce}, nil
}

// Mix is a seeded sequence of the entries of a mix, in blocks. Each block has every entry as often as its weight, divided by the greatest
// common divisor of all weights, in random order.
type Mix struct {
	entries []evm.MixEntry
	random  *rand.Rand
	// block holds indexes of entries, of which next have been used.
	block []uint8
	next  int
}

// NewMix returns the sequence of a sender, or nil if there are no entries. The same seed gives the same sequence.
func NewMix(entries []evm.MixEntry, seed int64, sender int) *Mix {
	if len(entries) == 0 {
		return nil
	}
	var divisor uint32
	for _, e := range entries {
		for rest := e.Weight; rest != 0; {
			divisor, rest = rest, divisor%rest
		}
	}
	m := &Mix{entries: entries, random: rand.New(rand.NewPCG(uint64(seed), uint64(sender)))}
	for i, e := range entries {
		m.block = append(m.block, bytes.Repeat([]byte{byte(i)}, int(e.Weight/divisor))...)
	}
	return m
}

// Next returns the next entry of the sequence.
func (m *Mix) Next() *evm.MixEntry {
	if m.next == 0 {
		m.random.Shuffle(len(m.block), func(i, j int) { m.block[i], m.block[j] = m.block[j], m.block[i] })
	}
	e := &m.entries[m.block[m.next]]
	m.next = (m.next + 1) % len(m.block)
	return e
}

// Sequence signs for several accounts in turn.
type Sequence struct {
	Signer *Signer
	// Mix chooses the kinds of transactions. It is nil for plain transfers.
	Mix      *Mix
	Accounts []*Account
	// Nonces are the next nonces in the order of Accounts.
	Nonces      []uint64
	nextAccount int
}

// SignNext signs the next transaction of the next account.
func (s *Sequence) SignNext() (*Transaction, error) {
	if s.Mix == nil {
		return s.SignTransfer()
	}
	return s.SignFor(s.takeTurn(), func(a *Account, nonce uint64) (*Transaction, error) {
		return s.Signer.SignEntry(s.Mix.Next(), a, nonce, s.Accounts[s.nextAccount].Address)
	})
}

// SignTransfer signs a plain transfer of the next account.
func (s *Sequence) SignTransfer() (*Transaction, error) {
	return s.SignFor(s.takeTurn(), s.Signer.Sign)
}

// SignFor signs a transaction of the account at an index with its next nonce.
func (s *Sequence) SignFor(i int, sign func(a *Account, nonce uint64) (*Transaction, error)) (*Transaction, error) {
	t, err := sign(s.Accounts[i], s.Nonces[i])
	s.Nonces[i]++
	return t, err
}

func (s *Sequence) takeTurn() int {
	i := s.nextAccount
	s.nextAccount = (s.nextAccount + 1) % len(s.Accounts)
	return i
}

// SignAhead signs n transactions into a channel with the given buffer and then closes it. An error or the end of
// ctx closes it early.
func (s *Sequence) SignAhead(ctx context.Context, n int64, buffer int) <-chan *Transaction {
	signed := make(chan *Transaction, buffer)
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
