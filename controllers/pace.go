package controllers

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// progressPeriod is how often at most the status of a network tells of progress alone. A network of a thousand members would
// else write its status, with all of them in it, a thousand times.
const progressPeriod = time.Second

// pace knows when each network's status was written last, and over what. It forgets when the operator dies, and then writes once more.
type pace struct {
	mutex   sync.Mutex
	written map[client.ObjectKey]statusWrite
}

// statusWrite is the write of a status over the network's resource version at that time.
type statusWrite struct {
	at   time.Time
	over string
}

// left is how long progress has to wait yet.
func (p *pace) left(network client.ObjectKey, now time.Time) time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return max(0, p.written[network].at.Add(progressPeriod).Sub(now))
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
