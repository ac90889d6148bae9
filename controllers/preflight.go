package controllers

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/rehearsal"
)

// An experiment that cannot begin yet is checked again after firstPreflightDelay, and each further time after twice as long.
const (
	firstPreflightDelay = 15 * time.Second
	maxPreflightDelay   = 10 * time.Minute
)

// preflights holds the last check of each experiment that was checked and has not begun. A check may cost hundreds of dry runs, so
// there is one set of dry runs for each generation, and events do not bring a check forward. The checks are lost when the operator
// restarts: each experiment is then checked once more.
type preflights struct {
	mutex sync.Mutex
	known map[client.ObjectKey]preflight
}

// preflight is the last check of one experiment.
type preflight struct {
	uid        types.UID
	generation int64
	// forecast of the generation; nil until its dry runs have passed.
	forecast *rehearsal.Forecast
	started  time.Time
	delay    time.Duration
}

// remaining returns how long the next check has to wait.
func (p *preflights) remaining(e *v1alpha1.BenchmarkExperiment, now time.Time) time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	last := p.lastOf(e)
	return max(0, last.started.Add(last.delay).Sub(now))
}

// begin starts a check. It returns the forecast of an earlier check of the same generation, or nil.
func (p *preflights) begin(e *v1alpha1.BenchmarkExperiment, now time.Time) *rehearsal.Forecast {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	next := p.lastOf(e)
	switch {
	case next.delay == 0, next.generation != e.Generation:
		next.delay = firstPreflightDelay
	default:
		next.delay = min(2*next.delay, maxPreflightDelay)
	}
	if next.generation != e.Generation {
		next.forecast = nil
	}
	next.uid, next.generation, next.started = e.UID, e.Generation, now
	p.set(client.ObjectKeyFromObject(e), next)
	return next.forecast
}

// passed keeps the forecast of the check that was begun.
func (p *preflights) passed(e *v1alpha1.BenchmarkExperiment, forecast *rehearsal.Forecast) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	last := p.lastOf(e)
	last.forecast = forecast
	p.set(client.ObjectKeyFromObject(e), last)
}

// forget drops an experiment that has begun, has failed or is gone.
func (p *preflights) forget(key client.ObjectKey) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.known, key)
}

// hasten lets all waiting experiments be checked after firstPreflightDelay, and returns them.
func (p *preflights) hasten(now time.Time) []client.ObjectKey {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var waiting []client.ObjectKey
	for key, last := range p.known {
		if last.started.Add(last.delay).Sub(now) > firstPreflightDelay {
			last.started, last.delay = now, firstPreflightDelay
			p.known[key] = last
			waiting = append(waiting, key)
		}
	}
	return waiting
}

// lastOf returns the last check of the experiment. It is empty for another experiment that was created under the same name.
func (p *preflights) lastOf(e *v1alpha1.BenchmarkExperiment) preflight {
	last := p.known[client.ObjectKeyFromObject(e)]
	if last.uid != e.UID {
		return preflight{}
	}
	return last
}

func (p *preflights) set(key client.ObjectKey, last preflight) {
	if p.known == nil {
		p.known = map[client.ObjectKey]preflight{}
	}
	p.known[key] = last
}

// waitingExperiments requests the experiments that wait. The controller calls it when a network is deleted, since there may be room then.
func (r *ExperimentReconciler) waitingExperiments(context.Context, client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for _, key := range r.preflights.hasten(r.Now()) {
		requests = append(requests, reconcile.Request{NamespacedName: key})
	}
	return requests
}
