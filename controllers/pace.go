package controllers

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// progressPeriod is how long progress alone waits before the status of a network tells of it, for more of it or for a milestone. A
// network of a thousand members would else write its status, with all of them in it, a thousand times.
const progressPeriod = time.Second

// pace knows over what each network's status was written last, and since when there is more to tell. It forgets when the operator
// dies, and then writes once more.
type pace struct {
	mutex   sync.Mutex
	written map[client.ObjectKey]statusWrite
}

// statusWrite is the write of a status over a resource version of the network; empty: it changed nothing.
type statusWrite struct {
	over string
	// progress was first seen then, after the write; zero: there was none.
	progress time.Time
}

// left is how long progress that is seen now has to wait yet.
func (p *pace) left(network client.ObjectKey, now time.Time) time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	w, known := p.written[network]
	if !known {
		return 0
	}
	if w.progress.IsZero() {
		w.progress = now
		p.written[network] = w
	}
	return max(0, w.progress.Add(progressPeriod).Sub(now))
}

// unseen tells whether a network is as it was before its status was written: the cache lags behind, and would have it written again.
func (p *pace) unseen(network client.ObjectKey, version string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return version != "" && p.written[network].over == version
}

func (p *pace) wrote(network client.ObjectKey, w statusWrite) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.written == nil {
		p.written = map[client.ObjectKey]statusWrite{}
	}
	p.written[network] = w
}

func (p *pace) forget(network client.ObjectKey) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.written, network)
}
