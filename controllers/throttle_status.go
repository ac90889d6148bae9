package controllers

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// progressStatusPeriod is how long progress alone waits before the status of a network tells of it, for more of it or for a milestone. A
// network of a thousand members would else write its status, with all of them in it, a thousand times.
const progressStatusPeriod = time.Second

// statusThrottle knows over what each network's status was written last, and since when there is more to tell. It forgets when the operator
// dies, and then writes once more.
type statusThrottle struct {
	mutex      sync.Mutex
	lastWrites map[client.ObjectKey]statusWrite
}

// statusWrite is the write of a status over a resource version of the network; empty: it changed nothing.
type statusWrite struct {
	baseVersion string
	// progressSince was first seen then, after the write; zero: there was none.
	progressSince time.Time
}

// remainingDelay is how long progress that is seen now has to wait yet.
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

// isStale tells whether a network is as it was before its status was written: the cache lags behind, and would have it written again.
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
