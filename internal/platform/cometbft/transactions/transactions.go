// Package transactions defines the workload file of the CometBFT load driver (drivers/cometbft): the operator writes
// workload.json and the driver reads it.
package transactions

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/benchnet/benchnet/internal/run/batches"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Bounds and default of Operation.TransactionBytes.
const (
	DefaultTransactionBytes = 1024
	// MinTransactionBytes has room for the fields of the payload and for what makes it unique.
	MinTransactionBytes = 132
	MaxTransactionBytes = 1 << 20
)

// Method is how a node handles a transaction before it responds.
type Method string

// The methods of a submission.
const (
	// MethodSync waits until the application has checked the transaction.
	MethodSync Method = "sync"
	// MethodAsync waits only until the mempool has taken the transaction. If the application then rejects it, the
	// driver does not learn it, and the operation is unfinished.
	MethodAsync Method = "async"
)

// OperationUnit is the unit of the driver's operations.
const OperationUnit = "transactions"

// SeriesMempool is the name of the series of the node's mempool size at the end of each second. Its subject is the
// target. The driver records the series of package batches as well.
const SeriesMempool = "mempoolTransactions"

// Workload is the content of workload.json as the driver reads it: an open loop of Operations. Its clients bound the
// outstanding batches of each sender. A target's address is that of the node's RPC, http://host:26657.
type Workload struct {
	protocol.WorkloadFile[Operation]
}

// Operation configures the transactions. Their payload is that of CometBFT's load generator: "a=" and the hexadecimal
// encoding of a Protobuf message.
type Operation struct {
	// TransactionBytes is the size of a transaction, an even number from 132 to 1048576. Default: 1024.
	TransactionBytes int `json:"transactionBytes,omitempty"`
	// Method is sync or async. Default: sync.
	Method Method `json:"method,omitempty"`
	// BatchSize is the number of transactions that a sender submits at once. Default: derived from the rate
	// and BatchIntervalMillis.
	BatchSize int `json:"batchSize,omitempty"`
	// BatchIntervalMillis is the time between two batches of a sender, in ms. Default: derived from the rate
	// and BatchSize, or 200 if BatchSize is not set either.
	BatchIntervalMillis int `json:"batchIntervalMillis,omitempty"`
}

// ReadWorkload reads workload.json and fills in the defaults. It fails if the content is invalid.
func ReadWorkload(path string) (*Workload, error) {
	file, err := protocol.ReadWorkloadFile[Operation](path)
	if err != nil {
		return nil, err
	}
	w := &Workload{*file}
	w.Operation.setDefaults()
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("workload %s: %w", path, err)
	}
	return w, nil
}

func (o *Operation) setDefaults() {
	o.TransactionBytes = cmp.Or(o.TransactionBytes, DefaultTransactionBytes)
	o.Method = cmp.Or(o.Method, MethodSync)
	if o.BatchSize == 0 && o.BatchIntervalMillis == 0 {
		o.BatchIntervalMillis = int(batches.DefaultInterval.Milliseconds())
	}
}

// BatchPlan returns how the load is divided among senders.
func (w *Workload) BatchPlan() batches.Plan {
	return batches.Plan{Load: w.Load, Targets: len(w.Targets), Size: w.Operation.BatchSize, IntervalMillis: w.Operation.BatchIntervalMillis}
}

// Validate returns an error that names the first invalid field.
func (w *Workload) Validate() error {
	if err := batches.ValidateTargets(w.Targets, isNodeURL, "http://host:26657"); err != nil {
		return err
	}
	switch o := w.Operation; {
	case o.TransactionBytes < MinTransactionBytes || o.TransactionBytes > MaxTransactionBytes:
		return fmt.Errorf("operation.transactionBytes: %d; want %d to %d", o.TransactionBytes, MinTransactionBytes, MaxTransactionBytes)
	case o.TransactionBytes%2 != 0:
		return fmt.Errorf("operation.transactionBytes: %d is odd; want an even number, since the payload is hexadecimal", o.TransactionBytes)
	case o.Method != MethodSync && o.Method != MethodAsync:
		return fmt.Errorf("operation.method: %q; want %s or %s", o.Method, MethodSync, MethodAsync)
	}
	return w.BatchPlan().Validate("cometbft")
}

func isNodeURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && (u.Path == "" || u.Path == "/") && u.RawQuery == ""
}
