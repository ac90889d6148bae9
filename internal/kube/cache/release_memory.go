// Package cache keeps an idle operator small: the memory that it needed while it had much to do goes back to the system when it has
// little. Go by itself keeps as much garbage as there is of use, for a burst that may never come.
package cache

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// MemoryReleaser gives memory back. It runs in every replica, whether it leads or not: all of them hold what there is.
type MemoryReleaser struct {
	// Period in which little is done before the operator counts as idle.
	Period time.Duration
	// IdleBytes is the most that is allocated in a period by an operator that has little to do, in bytes.
	IdleBytes uint64
	// MinAllocatedBytes is how much must have been allocated since memory was given back last, in bytes: a collection looks at all that is held.
	MinAllocatedBytes uint64

	// readAllocated is the total so far, and release gives back what is not in use.
	readAllocated func() uint64
	freeMemory    func()
}

// NewMemoryReleaser looks once a minute, and costs a garbage collection after a time of work. The scrapes of a thousand networks' metrics
// allocate 20 MiB in a minute, a network that is brought about 8 MiB.
func NewMemoryReleaser() *MemoryReleaser {
	return &MemoryReleaser{
		Period:            time.Minute,
		IdleBytes:         64 << 20,
		MinAllocatedBytes: 128 << 20,
		readAllocated:     totalAllocatedBytes,
		freeMemory:        debug.FreeOSMemory,
	}
}

// NeedLeaderElection tells the manager that this is no work on the cluster.
func (k *MemoryReleaser) NeedLeaderElection() bool { return false }

// Start looks until the context ends.
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

// newPeriodicCheck is what is done after each period.
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
