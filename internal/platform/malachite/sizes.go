package malachite

import (
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/sizing"
)

const (
	kibibyte = int64(1) << 10
	mebibyte = int64(1) << 20

	// maxBlock and minPart are the application's own bounds.
	maxBlock = 64 * mebibyte
	minPart  = 256
	// envelope is the application's own allowance for what a message holds besides its block or part: lengths, addresses, and a
	// certificate with a signature of each of 1000 validators.
	envelope = 192 * kibibyte
	// defaultMessage and defaultResponse are Malachite's own.
	defaultMessage  = 4 * mebibyte
	defaultResponse = 10 * mebibyte

	// baseMemory is the program with its connections and its store's cache; heldBlocks are those in its memory at a time: proposed, in
	// parts, in the queues of the gossip, on the way to one that catches up. Four validators were seen to use 14 MiB with blocks of
	// 1 KiB, 108 MiB with 1 MiB and 128 MiB with 2 MiB; the rule is on the safe side of that.
	baseMemory = 160 * mebibyte
	heldBlocks = 16
	// baseStorage has room for the write-ahead log. A store of blocks takes about twice their size while it is pruned.
	baseStorage  = 512 * mebibyte
	storeBlowUp  = 2
	gibibyteSize = 1024 * mebibyte
)

// largestMessage that is gossiped: a whole block, or a part.
func largestMessage(m *v1alpha1.MalachitePlatform) int64 {
	if m.Payload == v1alpha1.MalachiteProposalOnly {
		return m.BlockSize.Value() + envelope
	}
	return min(m.PartSize.Value(), m.BlockSize.Value()) + envelope
}

func largestResponse(m *v1alpha1.MalachitePlatform) int64 { return m.BlockSize.Value() + envelope }

// messageSize and responseSize are the given bounds, or Malachite's own, or what a block takes.
func messageSize(m *v1alpha1.MalachitePlatform) int64 {
	return given(m.Gossip.MaxMessageSize, max(defaultMessage, largestMessage(m)))
}

func responseSize(m *v1alpha1.MalachitePlatform) int64 {
	return given(m.Gossip.MaxResponseSize, max(defaultResponse, largestResponse(m)))
}

func given(size *resource.Quantity, otherwise int64) int64 {
	if size != nil {
		return size.Value()
	}
	return otherwise
}

// memoryNeeded is the least memory of a validator.
func memoryNeeded(m *v1alpha1.MalachitePlatform) int64 {
	return baseMemory + heldBlocks*m.BlockSize.Value()
}

// storageNeeded is the least volume of a validator.
func storageNeeded(m *v1alpha1.MalachitePlatform) int64 {
	return baseStorage + storeBlowUp*int64(m.KeptBlocks)*m.BlockSize.Value()
}

// expectedStorage is that in whole GiB.
func expectedStorage(m *v1alpha1.MalachitePlatform) resource.Quantity {
	whole := (storageNeeded(m) + gibibyteSize - 1) / gibibyteSize
	return *resource.NewQuantity(whole*gibibyteSize, resource.BinarySI)
}

// threads of the validator's runtime.
func threads(spec *v1alpha1.BenchmarkNetworkSpec) int32 {
	if given := spec.Platform.Malachite.Threads; given != nil {
		return *given
	}
	return sizing.MachineOf(&spec.Members).WholeCores()
}

// binary is a size in bytes as people write it.
func binary(bytes int64) string {
	return resource.NewQuantity(bytes, resource.BinarySI).String()
}
