// Package cache reduces the memory of the operator. It trims and shares cached objects, and returns free memory
// to the operating system when the operator is idle.
package cache

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// MemoryReleaser returns free memory to the operating system when the operator is idle. Go by itself retains as
// much garbage as live memory, for a burst that may never come. It runs in every replica, leader or not, since
// all of them hold memory.
type MemoryReleaser struct {
	// Period is how long the operator must be almost inactive to count as idle.
	Period time.Duration
	// IdleBytes is the most that an idle operator allocates in a period, in bytes.
	IdleBytes uint64
	// MinAllocatedBytes is how much must have been allocated since the last release, in bytes. It limits the
	// collections, which scan the whole heap.
	MinAllocatedBytes uint64

	// readAllocated returns the total bytes allocated so far, and freeMemory returns unused memory to the
	// operating system.
	readAllocated func() uint64
	freeMemory    func()
}

// NewMemoryReleaser returns a releaser that checks once a minute. The scrapes of a thousand networks' metrics
// allocate 20 MiB a minute, and provisioning a network allocates about 8 MiB. So an idle operator holds little
// garbage, for a collection every minute or two.
func NewMemoryReleaser() *MemoryReleaser {
	return &MemoryReleaser{
		Period:            time.Minute,
		IdleBytes:         64 << 20,
		MinAllocatedBytes: 16 << 20,
		readAllocated:     totalAllocatedBytes,
		freeMemory:        debug.FreeOSMemory,
	}
}

// NeedLeaderElection returns false: every replica releases its own memory.
func (k *MemoryReleaser) NeedLeaderElection() bool { return false }

// Start checks after every period until the context ends.
func (k *MemoryReleaser) Start(ctx context.Context) error {
	ticker := time.NewTicker(k.Period)
	defer ticker.Stop()
	look := k.newPeriodicCheck()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			look()
		}
	}
}

// newPeriodicCheck returns the function that Start calls after each period.
func (k *MemoryReleaser) newPeriodicCheck() func() {
	var before, released uint64
	return func() {
		now := k.readAllocated()
		if now-before <= k.IdleBytes && now-released >= k.MinAllocatedBytes {
			k.freeMemory()
			released = now
		}
		before = now
	}
}

func totalAllocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
