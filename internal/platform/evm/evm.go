// Package evm holds the orders of the EVM load driver (drivers/evm): what the operator writes into workload.json and the
// driver reads. It is types and rules alone, so that the operator need not know Ethereum's libraries.
package evm

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Defaults of an Operation.
const (
	DefaultSignedAhead   = 100_000
	DefaultAccounts      = 1000
	DefaultBatchInterval = 200 * time.Millisecond
	// DefaultGasLimit is what a plain transfer uses.
	DefaultGasLimit = 21000
	DefaultValue    = "10"
	// DefaultMaxFeePerGas is 1000 gwei: far above any base fee that full blocks bring about within a run.
	DefaultMaxFeePerGas = "1000000000000"
	// DefaultMaxPriorityFeePerGas is 1 gwei.
	DefaultMaxPriorityFeePerGas = "1000000000"
	// DefaultRecipient has no code and is no precompiled contract, so that a transfer to it costs 21000 gas.
	DefaultRecipient = "0x00000000000000000000000000000000be9c4e70"
)

// OperationUnit is what an operation of the driver is.
const OperationUnit = "transactions"

// Names of the series that the driver records; their subject is the target.
const (
	// SeriesSent is transactions submitted in each second, SeriesAccepted those that the node took, by the second of its answer.
	SeriesSent     = "sentPerSecond"
	SeriesAccepted = "acceptedPerSecond"
	// SeriesResent is transactions sent again because the node had lost them.
	SeriesResent = "resentPerSecond"
	// SeriesRPC is the mean time of the JSON-RPC batches that were answered in each second, in milliseconds.
	SeriesRPC = "rpcMillis"
	// SeriesPending and SeriesQueued are the node's transaction pool at the end of each second.
	SeriesPending = "pendingTransactions"
	SeriesQueued  = "queuedTransactions"
)

// WorkloadFile is the file workload.json as the driver reads it.
type WorkloadFile struct {
	Targets   []Target              `json:"targets"`
	Operation Operation             `json:"operation"`
	Load      OfferedLoad           `json:"load"`
	Measure   protocol.MeasureTimes `json:"measure"`
	Reference string                `json:"reference"`
}

// Target is the JSON-RPC endpoint of one member.
type Target struct {
	Name string `json:"name"`
	// Address is http://host:8545 or ws://host:8546; its scheme chooses the transport.
	Address string `json:"address"`
}

// Operation is plain transfers of ether (EIP-1559, type 2), signed ahead of time. Amounts are decimal texts, as they may exceed 64 bits.
type Operation struct {
	// ChainID that the nodes must have.
	ChainID uint64 `json:"chainId"`
	// SeedFile holds the seed of the accounts' keys.
	SeedFile string `json:"seedFile"`
	// Accounts that send, over all workers. Default: 1000.
	Accounts int `json:"accounts,omitempty"`
	// BatchSize is how many transactions a sender submits at once. Default: what the rate makes of BatchIntervalMillis.
	BatchSize int `json:"batchSize,omitempty"`
	// BatchIntervalMillis is the time from one batch of a sender to its next, in ms. Default: what the rate makes of BatchSize, or 200.
	BatchIntervalMillis int `json:"batchIntervalMillis,omitempty"`
	// Recipient of all transfers. Default: DefaultRecipient.
	Recipient string `json:"recipient,omitempty"`
	// ValueWei of a transfer. Default: 10.
	ValueWei string `json:"valueWei,omitempty"`
	// GasLimit of a transfer. Default: 21000.
	GasLimit uint64 `json:"gasLimit,omitempty"`
	// MaxFeePerGasWei and MaxPriorityFeePerGasWei are the fee cap and the tip. Defaults: 1000 gwei and 1 gwei.
	MaxFeePerGasWei         string `json:"maxFeePerGasWei,omitempty"`
	MaxPriorityFeePerGasWei string `json:"maxPriorityFeePerGasWei,omitempty"`
	// SignedAhead bounds the signed transactions that a worker keeps, at about 400 bytes each. They are signed during set-up, and as
	// they are used up while it sends. At least two batches of each sender are kept. Default: 100000.
	SignedAhead int `json:"signedAhead,omitempty"`
	// Heads are WebSocket URLs, in the order of the targets, by which new blocks are announced.
	// Default: the targets' own addresses; those with http are asked for the next block every 20 ms.
	Heads []string `json:"heads,omitempty"`
}

// OfferedLoad is an open loop.
type OfferedLoad struct {
	// Model must be Open.
	Model string `json:"model"`
	// RatePerSecond is transactions a second over the whole network; each target gets the same share.
	RatePerSecond float64 `json:"ratePerSecond"`
	// Clients bounds the JSON-RPC batches that each sender has outstanding.
	Clients int `json:"clients"`
}

// ReadWorkloadFile reads workload.json, fills in the defaults and refuses what makes no sense.
func ReadWorkloadFile(path string) (*WorkloadFile, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read workload: %w", err)
	}
	var w WorkloadFile
	if err := json.Unmarshal(content, &w); err != nil {
		return nil, fmt.Errorf("parse workload %s: %w", path, err)
	}
	w.Operation.setDefaults()
	if err := w.validateWorkload(); err != nil {
		return nil, fmt.Errorf("workload %s: %w", path, err)
	}
	return &w, nil
}

func (o *Operation) setDefaults() {
	orText := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	if o.Accounts == 0 {
		o.Accounts = DefaultAccounts
	}
	if o.SignedAhead == 0 {
		o.SignedAhead = DefaultSignedAhead
	}
	if o.GasLimit == 0 {
		o.GasLimit = DefaultGasLimit
	}
	if o.BatchSize == 0 && o.BatchIntervalMillis == 0 {
		o.BatchIntervalMillis = int(DefaultBatchInterval.Milliseconds())
	}
	orText(&o.Recipient, DefaultRecipient)
	orText(&o.ValueWei, DefaultValue)
	orText(&o.MaxFeePerGasWei, DefaultMaxFeePerGas)
	orText(&o.MaxPriorityFeePerGasWei, DefaultMaxPriorityFeePerGas)
}

// ParseWei reads a decimal amount that validation has passed.
func ParseWei(amount string) *big.Int {
	n, _ := new(big.Int).SetString(amount, 10)
	return n
}

// isWebSocket tells the transport by the address.
func isWebSocket(address string) bool {
	return strings.HasPrefix(address, "ws://") || strings.HasPrefix(address, "wss://")
}

func isHTTP(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// SupportsSubscriptions is whether the node at address tells of new blocks by itself.
func SupportsSubscriptions(address string) bool { return isWebSocket(address) }
