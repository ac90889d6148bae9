package load

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/internal/platform/evm"
)

// maxSampled bounds the addresses that Effects lists of each kind, and so the duration of the ledger check.
const maxSampled = 1000

// Inclusion sums up a worker's flights in a block.
type Inclusion struct {
	// Flights is the number of flights, and Payments the number of those that paid the value of a plain transfer.
	Flights, Payments int64
	// Gas is the gas that the flights used.
	Gas uint64
}

func (in *Inclusion) addFlight(f *Flight, receipt member.Receipt) {
	in.Flights++
	in.Gas += uint64(receipt.GasUsed)
	if f.transactionKind() == evm.KindTransfer && !receipt.IsReverted() {
		in.Payments++
	}
}

// Effects are the changes of the contract and the addresses that the transactions of a mix in blocks caused. Reverted ones cause none.
type Effects struct {
	// Minted is the number of new tokens. Sent is the number of tokens that left the worker's accounts, and SentToSame
	// the number of those that the common recipient got.
	Minted, Sent, SentToSame int64
	// Fresh lists fresh recipients of one token each, and Contracts created contracts: the first 1000 of each.
	Fresh, Contracts []common.Address
}

func (e *Effects) addFlight(f *Flight) {
	if f.Entry == nil {
		return
	}
	switch f.Entry.Kind {
	case evm.KindMint:
		e.Minted++
	case evm.KindDeploy:
		e.Contracts = appendSample(e.Contracts, f.Created)
	case evm.KindTokenTransfer:
		switch f.Entry.Recipients {
		case evm.RecipientsFresh:
			e.Sent++
			e.Fresh = appendSample(e.Fresh, f.Created)
		case evm.RecipientsSame:
			e.Sent++
			e.SentToSame++
		}
	}
}

func appendSample(addresses []common.Address, a common.Address) []common.Address {
	if len(addresses) == maxSampled {
		return addresses
	}
	return append(addresses, a)
}

// Effects returns the effects of the flights in blocks.
func (t *Tracker) Effects() Effects {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.effects
	e.Fresh, e.Contracts = slices.Clone(e.Fresh), slices.Clone(e.Contracts)
	return e
}

// transactionKind returns the kind of the flight's transaction. That of a transaction without a mix is a plain transfer.
func (f *Flight) transactionKind() evm.Kind {
	if f.Entry == nil {
		return evm.KindTransfer
	}
	return f.Entry.Kind
}
