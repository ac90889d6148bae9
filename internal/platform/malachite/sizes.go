package malachite

import (
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

const (
	kibibyte = int64(1) << 10
	mebibyte = int64(1) << 20

	// maxBlockSize and minPartSize are the application's own bounds.
	maxBlockSize = 64 * mebibyte
	minPartSize  = 256
	// messageOverhead is the application's own allowance for what a message holds besides its block or part: lengths, addresses, and a
	// certificate with a signature of each of 1000 validators.
	messageOverhead = 192 * kibibyte
	// defaultMessage and defaultResponse are Malachite's own.
	defaultMessage  = 4 * mebibyte
	defaultResponse = 10 * mebibyte

	// baseMemory is the program with its connections and its store's cache; blocksInMemory are those in its memory at a time: proposed, in
	// parts, in the queues of the gossip, on the way to one that catches up. Four validators were seen to use 14 MiB with blocks of
	// 1 KiB, 108 MiB with 1 MiB and 128 MiB with 2 MiB; the rule is on the safe side of that.
	baseMemory     = 160 * mebibyte
	blocksInMemory = 16
	// baseStorage has room for the write-ahead log. A store of blocks takes about twice their size while it is pruned.
	baseStorage = 512 * mebibyte
	storeFactor = 2
	gibibyte    = 1024 * mebibyte
)

// largestMessage that is gossiped: a whole block, or a part.
func largestMessage(m *v1alpha1.MalachitePlatform) int64 {
	if m.Payload == v1alpha1.MalachiteProposalOnly {
		return m.BlockSize.Value() + messageOverhead
	}
	return min(m.PartSize.Value(), m.BlockSize.Value()) + messageOverhead
}

func largestResponse(m *v1alpha1.MalachitePlatform) int64 {
	return m.BlockSize.Value() + messageOverhead
}

// messageSize and responseSize are the given bounds, or Malachite's own, or what a block takes.
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

// requiredMemory is the least memory of a validator.
func requiredMemory(m *v1alpha1.MalachitePlatform) int64 {
	return baseMemory + blocksInMemory*m.BlockSize.Value()
}

// requiredStorage is the least volume of a validator.
func requiredStorage(m *v1alpha1.MalachitePlatform) int64 {
	return baseStorage + storeFactor*int64(m.KeptBlocks)*m.BlockSize.Value()
}

// expectedStorage is that in whole GiB.
func expectedStorage(m *v1alpha1.MalachitePlatform) resource.Quantity {
	whole := (requiredStorage(m) + gibibyte - 1) / gibibyte
	return *resource.NewQuantity(whole*gibibyte, resource.BinarySI)
}

// runtimeThreads of the validator's runtime.
func runtimeThreads(spec *v1alpha1.BenchmarkNetworkSpec) int32 {
	if given := spec.Platform.Malachite.Threads; given != nil {
		return *given
	}
	return sizing.MachineOf(&spec.Members).WholeCores()
}

// formatBytes is a size in bytes as people write it.
func formatBytes(bytes int64) string {
	return resource.NewQuantity(bytes, resource.BinarySI).String()
}
