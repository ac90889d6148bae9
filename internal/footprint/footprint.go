// Package footprint keeps an idle operator small: the memory that it needed while it had much to do goes back to the system when it has
// little. Go by itself keeps as much garbage as there is of use, for a burst that may never come.
package footprint

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Keeper gives memory back. It runs in every replica, whether it leads or not: all of them hold what there is.
type Keeper struct {
	// Period in which little is done before the operator counts as idle.
	Period time.Duration
	// Idle is the most that is allocated in a period by an operator that has little to do, in bytes.
	Idle uint64
	// Worth is how much must have been allocated since memory was given back last, in bytes: a collection looks at all that is held.
	Worth uint64

	// allocated is the total so far, and release gives back what is not in use.
	allocated func() uint64
	release   func()
}

// NewKeeper looks once a minute, and costs a garbage collection after a time of work. The scrapes of a thousand networks' metrics
// allocate 20 MiB in a minute, a network that is brought about 8 MiB.
func NewKeeper() *Keeper {
	return &Keeper{Period: time.Minute, Idle: 64 << 20, Worth: 128 << 20, allocated: allocated, release: debug.FreeOSMemory}
}

// NeedLeaderElection tells the manager that this is no work on the cluster.
func (k *Keeper) NeedLeaderElection() bool { return false }

// Start looks until the context ends.
func (k *Keeper) Start(ctx context.Context) error {
	ticker := time.NewTicker(k.Period)
	defer ticker.Stop()
	look := k.watch()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			look()
		}
	}
}

// watch is what is done after each period.
func (k *Keeper) watch() func() {
	var before, released uint64
	return func() {
		now := k.allocated()
		if now-before <= k.Idle && now-released >= k.Worth {
			k.release()
			released = now
		}
		before = now
	}
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
