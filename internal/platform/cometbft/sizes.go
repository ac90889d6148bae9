package cometbft

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/sizing"
	"github.com/benchnet/benchnet/internal/platform/validators"
)

const (
	// maxTransactionSize and maxTransactions are limits of the program.
	maxTransactionSize = validators.Mebibyte
	maxTransactions    = 100_000

	defaultBlockSize        = validators.Mebibyte
	defaultTransactionBytes = 1024

	// baseMemory covers the program with its connections and the caches of its databases, and mempoolMemory the waiting transactions.
	// blocksInMemory is the number of blocks in memory at a time: proposed, in parts for each peer, on the way to the store and in the
	// caches of the database.
	baseMemory     = 192 * validators.Mebibyte
	mempoolMemory  = 320 * validators.Mebibyte
	blocksInMemory = 24
	// baseStorage includes the write-ahead log, which CometBFT limits to 1 GiB.
	baseStorage = 1536 * validators.Mebibyte

	// keptOwnBlocks and keptClientBlocks are the defaults of keptBlocks. The driver reads the blocks of a run again at its end.
	keptOwnBlocks    = 1000
	keptClientBlocks = 100_000
)

func blockSizeOf(c *v1alpha1.CometBFTPlatform) resource.Quantity {
	return ptr.Deref(c.BlockSize, *resource.NewQuantity(defaultBlockSize, resource.BinarySI))
}

func transactionSizeOf(c *v1alpha1.CometBFTPlatform) int64 {
	if c.TransactionSize != nil {
		return c.TransactionSize.Value()
	}
	size := blockSizeOf(c)
	return min(size.Value(), maxTransactionSize)
}

func keptBlocksOf(c *v1alpha1.CometBFTPlatform) int32 {
	switch {
	case c.KeptBlocks != nil:
		return *c.KeptBlocks
	case usesMempool(c):
		return keptClientBlocks
	}
	return keptOwnBlocks
}

// stateOf returns what a validator requires for its blocks, or for the transactions of all listed workloads.
func stateOf(spec *v1alpha1.BenchmarkNetworkSpec) validators.State {
	c := spec.Platform.CometBFT
	s := validators.State{BaseMemory: baseMemory, BlocksInMemory: blocksInMemory, BlockSize: blockSizeOf(c), BaseStorage: baseStorage}
	if !usesMempool(c) {
		return s.KeptBlocks(keptBlocksOf(c))
	}
	s.BaseMemory += mempoolMemory
	s.StoredBytes, s.Stored = plannedBytes(spec), "the transactions of all workloads"
	return s
}

// plannedBytes returns the size in bytes of the transactions of all listed workloads.
func plannedBytes(spec *v1alpha1.BenchmarkNetworkSpec) int64 {
	var planned int64
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		size := int64(defaultTransactionBytes)
		if w.CometBFT != nil {
			size = int64(w.CometBFT.TransactionBytes)
		}
		planned += min(sizing.PlannedOperations(w.Load, &w.Measure, 0), maxPlannedBytes/size) * size
	}
	return min(planned, maxPlannedBytes)
}

// maxPlannedBytes bounds the sum of planned transactions to what a volume can hold.
const maxPlannedBytes = int64(1) << 50
