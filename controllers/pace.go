package controllers

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// progressPeriod is how often at most the status of a network tells of progress alone. A network of a thousand members would
// else write its status, with all of them in it, a thousand times.
const progressPeriod = time.Second

// pace knows when each network's status was written last. It forgets when the operator dies, and then writes once more.
type pace struct {
	mutex   sync.Mutex
	written map[client.ObjectKey]time.Time
}

// left is how long progress has to wait yet.
func (p *pace) left(network client.ObjectKey, now time.Time) time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return max(0, p.written[network].Add(progressPeriod).Sub(now))
}

func (p *pace) wrote(network client.ObjectKey, now time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.written == nil {
		p.written = map[client.ObjectKey]time.Time{}
	}
	p.written[network] = now
}

func (p *pace) forget(network client.ObjectKey) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.written, network)
}
