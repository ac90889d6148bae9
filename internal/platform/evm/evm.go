// Package evm defines the workload file of the EVM load driver (drivers/evm): the operator writes
// workload.json and the driver reads it. It holds only types and validation, so that the operator does not
// depend on Ethereum's libraries.
package evm

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/benchnet/benchnet/internal/run/batches"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Default values of an Operation.
const (
	DefaultSignedAhead   = 100_000
	DefaultAccounts      = 1000
	DefaultBatchInterval = batches.DefaultInterval
	// DefaultGasLimit is the gas that a plain transfer uses.
	DefaultGasLimit = 21000
	DefaultValue    = "10"
	// DefaultMaxFeePerGas is 1000 gwei, far above any base fee that full blocks cause within a run.
	DefaultMaxFeePerGas = "1000000000000"
	// DefaultMaxPriorityFeePerGas is 1 gwei.
	DefaultMaxPriorityFeePerGas = "1000000000"
	// DefaultRecipient has no code and is not a precompiled contract, so a transfer to it costs 21000 gas.
	DefaultRecipient = "0x00000000000000000000000000000000be9c4e70"
)

// OperationUnit is the unit of the driver's operations.
const OperationUnit = "transactions"

// Names of the series that the driver records besides those of package batches. Their subject is the target.
const (
	// SeriesResent is the number of transactions that were resent because the node had lost them.
	SeriesResent = "resentPerSecond"
	// SeriesPending and SeriesQueued are the sizes of the node's transaction pool at the end of each second.
	SeriesPending = "pendingTransactions"
	SeriesQueued  = "queuedTransactions"
	// SeriesBaseFee is the base fee per gas of the newest block at the end of each second, in gwei.
	SeriesBaseFee = "baseFeeGwei"
)

// Workload is the content of workload.json as the driver reads it: an open loop of Operations. Its clients bound the
// outstanding JSON-RPC batches of each sender. A target's address is http://host:8545 or ws://host:8546; its scheme
// selects the transport.
type Workload struct {
	protocol.WorkloadFile[Operation]
}

// Operation configures the transactions (EIP-1559, type 2), which are signed ahead of time: plain ether transfers, or a mix of kinds.
// Amounts are decimal strings because they may exceed 64 bits.
type Operation struct {
	// ChainID is the chain ID that the nodes must have.
	ChainID uint64 `json:"chainId"`
	// SeedFile is the path of the seed from which the keys of the accounts are derived.
	SeedFile string `json:"seedFile"`
	// Accounts is the number of sending accounts over all workers. Default: 1000.
	Accounts int `json:"accounts,omitempty"`
	// BatchSize is the number of transactions that a sender submits at once. Default: derived from the rate
	// and BatchIntervalMillis.
	BatchSize int `json:"batchSize,omitempty"`
	// BatchIntervalMillis is the time between two batches of a sender, in ms. Default: derived from the rate
	// and BatchSize, or 200 if BatchSize is not set either.
	BatchIntervalMillis int `json:"batchIntervalMillis,omitempty"`
	// Mix holds the weighted kinds of transactions. Default: only plain transfers.
	Mix []MixEntry `json:"mix,omitempty"`
	// Recipient is the recipient of all transfers. Default: DefaultRecipient.
	Recipient string `json:"recipient,omitempty"`
	// ValueWei is the amount of a transfer. Default: 10.
	ValueWei string `json:"valueWei,omitempty"`
	// GasLimit is the gas limit of a transfer. Default: 21000.
	GasLimit uint64 `json:"gasLimit,omitempty"`
	// MaxFeePerGasWei and MaxPriorityFeePerGasWei are the fee cap and the tip. Defaults: 1000 gwei and 1 gwei.
	MaxFeePerGasWei         string `json:"maxFeePerGasWei,omitempty"`
	MaxPriorityFeePerGasWei string `json:"maxPriorityFeePerGasWei,omitempty"`
	// SignedAhead bounds the signed transactions that a worker keeps, at about 400 bytes each. They are signed
	// during set-up and replenished while the worker sends. At least two batches of each sender are kept.
	// Default: 100000.
	SignedAhead int `json:"signedAhead,omitempty"`
	// Heads are the WebSocket URLs that announce new blocks, in the order of the targets. Default: the
	// addresses of the targets; an HTTP address is polled for the next block every 20 ms.
	Heads []string `json:"heads,omitempty"`
}

// ReadWorkload reads workload.json and fills in the defaults. It fails if the content is invalid.
func ReadWorkload(path string) (*Workload, error) {
	file, err := protocol.ReadWorkloadFile[Operation](path)
	if err != nil {
		return nil, err
	}
	w := &Workload{*file}
	w.Operation.setDefaults()
	if err := w.validateWorkload(); err != nil {
		return nil, fmt.Errorf("workload %s: %w", path, err)
	}
	return w, nil
}

func (o *Operation) setDefaults() {
	o.Accounts = cmp.Or(o.Accounts, DefaultAccounts)
	o.SignedAhead = cmp.Or(o.SignedAhead, DefaultSignedAhead)
	o.GasLimit = cmp.Or(o.GasLimit, DefaultGasLimit)
	o.Recipient = cmp.Or(o.Recipient, DefaultRecipient)
	o.ValueWei = cmp.Or(o.ValueWei, DefaultValue)
	o.MaxFeePerGasWei = cmp.Or(o.MaxFeePerGasWei, DefaultMaxFeePerGas)
	o.MaxPriorityFeePerGasWei = cmp.Or(o.MaxPriorityFeePerGasWei, DefaultMaxPriorityFeePerGas)
	for i := range o.Mix {
		o.Mix[i] = o.Mix[i].WithDefaults(o.GasLimit)
	}
	if o.BatchSize == 0 && o.BatchIntervalMillis == 0 {
		o.BatchIntervalMillis = int(DefaultBatchInterval.Milliseconds())
	}
}

// ParseWei parses a validated decimal amount. It returns nil if the text is not a number.
func ParseWei(amount string) *big.Int {
	n, _ := new(big.Int).SetString(amount, 10)
	return n
}

// Sender is one of the senders of a run. It submits to one target from accounts of its own.
type Sender struct {
	batches.Sender
	// Accounts are the sender's accounts, as ascending indices into the sequence derived from the seed.
	Accounts []int
}

// SenderCount returns the number of senders of a run with the given number of workers.
func (w *Workload) SenderCount(workers int) int { return w.batchPlan().SenderCount(workers) }

// WorkerSenders returns the senders of one of the given number of workers. Account i belongs to sender i mod senders.
func (w *Workload) WorkerSenders(worker, workers int) []Sender {
	var share []Sender
	for _, s := range w.batchPlan().WorkerSenders(worker, workers) {
		sender := Sender{Sender: s}
		for i := s.Index; i < w.Operation.Accounts; i += w.SenderCount(workers) {
			sender.Accounts = append(sender.Accounts, i)
		}
		share = append(share, sender)
	}
	return share
}

// MixSeed returns the seed of the sequence of kinds: that of the arrivals, or else 0, so that all runs of a workload have the same mix.
func (w *Workload) MixSeed() int64 {
	if w.Load.Seed == nil {
		return 0
	}
	return *w.Load.Seed
}

func (w *Workload) batchPlan() batches.Plan {
	return batches.Plan{Load: w.Load, Targets: len(w.Targets), Size: w.Operation.BatchSize, IntervalMillis: w.Operation.BatchIntervalMillis}
}

// isWebSocket reports whether an address uses the WebSocket transport.
func isWebSocket(address string) bool {
	return strings.HasPrefix(address, "ws://") || strings.HasPrefix(address, "wss://")
}

func isNodeURL(address string) bool {
	return isWebSocket(address) || strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// SupportsSubscriptions reports whether the node at an address can push notifications of new blocks.
func SupportsSubscriptions(address string) bool { return isWebSocket(address) }
