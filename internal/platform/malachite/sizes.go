package malachite

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

const (
	kibibyte = int64(1) << 10
	mebibyte = int64(1) << 20

	// maxBlockSize and minPartSize are limits of the application.
	maxBlockSize = 64 * mebibyte
	minPartSize  = 256
	// messageOverhead is the application's allowance for the content of a message besides its block or part:
	// lengths, addresses, and a certificate with the signatures of 1000 validators.
	messageOverhead = 192 * kibibyte
	// defaultMessage and defaultResponse are Malachite's defaults.
	defaultMessage  = 4 * mebibyte
	defaultResponse = 10 * mebibyte

	// baseMemory covers the program with its connections and its store's cache. blocksInMemory is the number
	// of blocks in memory at a time: proposed, in parts, in the gossip queues, and on the way to a validator
	// that catches up. Four validators used 14 MiB with blocks of 1 KiB, 108 MiB with 1 MiB and 128 MiB with 2
	// MiB; the rule is on the safe side of these.
	baseMemory     = 160 * mebibyte
	blocksInMemory = 16
	// baseStorage includes the write-ahead log. A block store takes about twice the size of its blocks while
	// it is pruned.
	baseStorage = 512 * mebibyte
	storeFactor = 2
	gibibyte    = 1024 * mebibyte

	// syncStatusInterval and syncRequestTimeout are the defaults of value sync, as in the API.
	syncStatusInterval = time.Second
	syncRequestTimeout = 10 * time.Second
)

// largestMessage returns the size of the largest gossiped message: a whole block, or a part.
func largestMessage(m *v1alpha1.MalachitePlatform) int64 {
	if m.Payload == v1alpha1.MalachiteProposalOnly {
		return m.BlockSize.Value() + messageOverhead
	}
	return min(m.PartSize.Value(), m.BlockSize.Value()) + messageOverhead
}

func largestResponse(m *v1alpha1.MalachitePlatform) int64 {
	return m.BlockSize.Value() + messageOverhead
}

// messageSize and responseSize return the limits of the spec. Their defaults are Malachite's, or larger if a
// block requires it.
func messageSize(m *v1alpha1.MalachitePlatform) int64 {
	return bytesOrDefault(m.Gossip.MaxMessageSize, max(defaultMessage, largestMessage(m)))
}

func responseSize(m *v1alpha1.MalachitePlatform) int64 {
	return bytesOrDefault(m.Gossip.MaxResponseSize, max(defaultResponse, largestResponse(m)))
}

func bytesOrDefault(size *resource.Quantity, otherwise int64) int64 {
	if size != nil {
		return size.Value()
	}
	return otherwise
}

// requiredMemory returns the minimum memory of a validator.
func requiredMemory(m *v1alpha1.MalachitePlatform) int64 {
	return baseMemory + blocksInMemory*m.BlockSize.Value()
}

// requiredStorage returns the minimum volume size of a validator.
func requiredStorage(m *v1alpha1.MalachitePlatform) int64 {
	return baseStorage + storeFactor*int64(m.KeptBlocks)*m.BlockSize.Value()
}

// expectedStorage returns requiredStorage in whole GiB, rounded up.
func expectedStorage(m *v1alpha1.MalachitePlatform) resource.Quantity {
	whole := (requiredStorage(m) + gibibyte - 1) / gibibyte
	return *resource.NewQuantity(whole*gibibyte, resource.BinarySI)
}

// runtimeThreads returns the number of threads of the validator's runtime. Default: the cores, rounded up.
func runtimeThreads(spec *v1alpha1.BenchmarkNetworkSpec) int32 {
	if given := spec.Platform.Malachite.Threads; given != nil {
		return *given
	}
	return sizing.MachineOf(&spec.Members).WholeCores()
}

// formatBytes formats a size in bytes with binary suffixes.
func formatBytes(bytes int64) string {
	return resource.NewQuantity(bytes, resource.BinarySI).String()
}
