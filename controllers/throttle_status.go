package controllers

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// progressStatusPeriod is how long a status change that is only progress waits for more progress or for a
// milestone. Otherwise a network of a thousand members would write its status, with all members in it, a
// thousand times.
const progressStatusPeriod = time.Second

// statusThrottle holds the last status write of each network. An operator restart loses it, which costs one
// more write.
type statusThrottle struct {
	mutex      sync.Mutex
	lastWrites map[client.ObjectKey]statusWrite
}

// statusWrite is a status write over a resource version of the network. It is zero if the write changed
// nothing.
type statusWrite struct {
	baseVersion string
	// progressSince is when progress was first seen after the write; zero if there was none.
	progressSince time.Time
}

// remainingDelay returns how long progress that is seen now still has to wait. It records when progress was
// first seen.
func (p *statusThrottle) remainingDelay(network client.ObjectKey, now time.Time) time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	w, known := p.lastWrites[network]
	if !known {
		return 0
	}
	if w.progressSince.IsZero() {
		w.progressSince = now
		p.lastWrites[network] = w
	}
	return max(0, w.progressSince.Add(progressStatusPeriod).Sub(now))
}

// isStale reports whether the cache still holds the version of a network from before its last status write. A
// pass over that version would write the status again.
func (p *statusThrottle) isStale(network client.ObjectKey, version string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return version != "" && p.lastWrites[network].baseVersion == version
}

func (p *statusThrottle) recordWrite(network client.ObjectKey, w statusWrite) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.lastWrites == nil {
		p.lastWrites = map[client.ObjectKey]statusWrite{}
	}
	p.lastWrites[network] = w
}

func (p *statusThrottle) forgetNetwork(network client.ObjectKey) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.lastWrites, network)
}
