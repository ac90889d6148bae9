package evm

import (
	"cmp"
	"fmt"
	"slices"
)

// Kind is a kind of transaction.
type Kind string

// The kinds of transactions. All but KindTransfer need the driver's contract, or create one.
const (
	KindTransfer      Kind = "Transfer"
	KindTokenTransfer Kind = "TokenTransfer"
	KindMint          Kind = "Mint"
	KindCall          Kind = "Call"
	KindDeploy        Kind = "Deploy"
	KindStore         Kind = "Store"
)

// Recipients says who receives the tokens of a TokenTransfer.
type Recipients string

// The values of Recipients: the recipient of the plain transfers, other accounts of the sender, and addresses that were never used.
const (
	RecipientsSame     Recipients = "Same"
	RecipientsAccounts Recipients = "Accounts"
	RecipientsFresh    Recipients = "Fresh"
)

// KindReverted is the kind of error of a transaction that a block includes but that had no effect.
const KindReverted = "Reverted"

const (
	// MaxTransactionGas is the highest gas limit of a transaction since the fork Osaka.
	MaxTransactionGas = 1 << 24
	// MaxCodeBytes is the maximum size of a contract's code.
	MaxCodeBytes = 24_576
	// MaxSlots is the maximum number of slots that a Store writes, within MaxTransactionGas.
	MaxSlots = 500
	// MinCallGas is the minimum gas of a Call. Below it, the cost of the transaction itself would exceed the gas.
	MinCallGas = 30_000
	// maxBatchBytes bounds a JSON-RPC batch. geth accepts 5 MB.
	maxBatchBytes = 4 << 20
	// plainBytes is the memory of a signed transfer in bytes.
	plainBytes = 400
)

// Gas that transactions use at most, measured with geth.
const (
	gasTokenTransfer = 52_000
	gasMint          = 70_000
	gasStore         = 46_000
	gasPerSlot       = 22_500
	gasDeploy        = 55_000
	gasPerCodeByte   = 218
)

// MixEntry is one of the weighted kinds of transactions of a mix.
type MixEntry struct {
	Kind Kind `json:"kind"`
	// Weight is relative to the sum of all weights.
	Weight uint32 `json:"weight"`
	// Recipients are those of a TokenTransfer. Default: Same.
	Recipients Recipients `json:"recipients,omitempty"`
	// Gas is the gas that a Call uses, within 1 %. Default: 200000.
	Gas uint64 `json:"gas,omitempty"`
	// CodeBytes is the size in bytes of the code that a Deploy creates. Default: 1500.
	CodeBytes int `json:"codeBytes,omitempty"`
	// Slots is the number of new storage slots that a Store writes. Default: 10.
	Slots int `json:"slots,omitempty"`
	// GasLimit is the gas limit of the transaction. Default: 20 % above what the kind uses; the operation's gas limit for a Transfer.
	GasLimit uint64 `json:"gasLimit,omitempty"`
}

// WithDefaults returns the entry with its defaults. transferGas is the gas limit of a Transfer.
func (e MixEntry) WithDefaults(transferGas uint64) MixEntry {
	used := transferGas
	switch e.Kind {
	case KindTokenTransfer:
		e.Recipients = cmp.Or(e.Recipients, RecipientsSame)
		used = gasTokenTransfer
	case KindMint:
		used = gasMint
	case KindCall:
		e.Gas = cmp.Or(e.Gas, 200_000)
		used = e.Gas
	case KindDeploy:
		e.CodeBytes = cmp.Or(e.CodeBytes, 1500)
		used = gasDeploy + gasPerCodeByte*uint64(e.CodeBytes)
	case KindStore:
		e.Slots = cmp.Or(e.Slots, 10)
		used = gasStore + gasPerSlot*uint64(e.Slots)
	}
	limit := used
	if e.Kind != KindTransfer {
		limit = min(used+used/5, MaxTransactionGas)
	}
	e.GasLimit = cmp.Or(e.GasLimit, limit)
	return e
}

// GasLimitOf returns the gas limit of transactions of a kind whose other fields have their defaults.
func GasLimitOf(kind Kind) uint64 { return MixEntry{Kind: kind}.WithDefaults(DefaultGasLimit).GasLimit }

func (e *MixEntry) validateEntry() error {
	switch e.Kind {
	case KindTransfer, KindTokenTransfer, KindMint, KindCall, KindDeploy, KindStore:
	default:
		return fmt.Errorf("kind: %q is not a kind of transaction", e.Kind)
	}
	recipients := []Recipients{"", RecipientsSame, RecipientsAccounts, RecipientsFresh}
	switch {
	case !slices.Contains(recipients, e.Recipients):
		return fmt.Errorf("recipients: %q; want Same, Accounts or Fresh", e.Recipients)
	case e.Kind == KindCall && (e.Gas < MinCallGas || e.Gas > MaxTransactionGas):
		return fmt.Errorf("gas: %d; want %d to %d", e.Gas, MinCallGas, MaxTransactionGas)
	case e.Kind == KindDeploy && (e.CodeBytes < 1 || e.CodeBytes > MaxCodeBytes):
		return fmt.Errorf("codeBytes: %d; want 1 to %d", e.CodeBytes, MaxCodeBytes)
	case e.Kind == KindStore && (e.Slots < 1 || e.Slots > MaxSlots):
		return fmt.Errorf("slots: %d; want 1 to %d", e.Slots, MaxSlots)
	case e.GasLimit < DefaultGasLimit || e.GasLimit > MaxTransactionGas:
		return fmt.Errorf("gasLimit: %d; want %d to %d", e.GasLimit, DefaultGasLimit, MaxTransactionGas)
	}
	return nil
}

// validateMix rejects entries that cannot work, and a mix of nothing.
func (o *Operation) validateMix() error {
	total := uint64(0)
	for i := range o.Mix {
		if err := o.Mix[i].validateEntry(); err != nil {
			return fmt.Errorf("operation.mix[%d].%w", i, err)
		}
		total += uint64(o.Mix[i].Weight)
	}
	if len(o.Mix) > 0 && total == 0 {
		return fmt.Errorf("operation.mix: all weights are 0")
	}
	return nil
}

// HasCalls reports whether the mix has transactions other than plain transfers.
func (o *Operation) HasCalls() bool {
	return slices.ContainsFunc(o.Mix, func(e MixEntry) bool { return e.Weight > 0 && e.Kind != KindTransfer })
}

// MixedKinds returns the kinds of transactions of the mix, in its order.
func (o *Operation) MixedKinds() []string {
	var kinds []string
	for _, e := range o.Mix {
		if kind := string(e.Kind); e.Weight > 0 && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// MaxGasLimit returns the highest gas limit of a transaction.
func (o *Operation) MaxGasLimit() uint64 {
	limit := o.GasLimit
	for _, e := range o.Mix {
		if e.Weight > 0 {
			limit = max(limit, e.GasLimit)
		}
	}
	return limit
}

// maxCodeBytes returns the size of the largest code that a transaction creates.
func (o *Operation) maxCodeBytes() int {
	most := 0
	for _, e := range o.Mix {
		if e.Weight > 0 {
			most = max(most, e.CodeBytes)
		}
	}
	return most
}

// MaxBatch returns the maximum size of a JSON-RPC batch that a node accepts whatever kinds it holds.
func (o *Operation) MaxBatch() int {
	return max(1, maxBatchBytes/(2*(plainBytes+o.maxCodeBytes())))
}

// MaxSignedAhead returns the number of signed transactions that a worker keeps: SignedAhead, or fewer if they are large, so that they
// take no more memory than plain transfers.
func (o *Operation) MaxSignedAhead() int64 {
	return max(1, int64(o.SignedAhead)*plainBytes/int64(plainBytes+o.maxCodeBytes()))
}
