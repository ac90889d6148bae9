package controllers

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment/preflight"
)

// An experiment that cannot begin yet is checked again after firstPreflightDelay, and each further time after twice as long.
const (
	firstPreflightDelay = 15 * time.Second
	maxPreflightDelay   = 10 * time.Minute
)

// preflightTracker holds the last check of each experiment that was checked and has not begun. A check may cost hundreds of dry runs, so
// there is one set of dry runs for each generation, and events do not bring a check forward. The checks are lost when the operator
// restarts: each experiment is then checked once more.
type preflightTracker struct {
	mutex      sync.Mutex
	lastChecks map[client.ObjectKey]preflightCheck
}

// preflightCheck is the last check of one experiment.
type preflightCheck struct {
	uid        types.UID
	generation int64
	// forecast of the generation; nil until its dry runs have passed.
	forecast *preflight.ResourceForecast
	started  time.Time
	delay    time.Duration
}

// remainingDelay returns how long the next check has to wait.
func (p *preflightTracker) remainingDelay(e *v1alpha1.BenchmarkExperiment, now time.Time) time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	last := p.lastCheckOf(e)
	return max(0, last.started.Add(last.delay).Sub(now))
}

// startCheck starts a check. It returns the forecast of an earlier check of the same generation, or nil.
func (p *preflightTracker) startCheck(e *v1alpha1.BenchmarkExperiment, now time.Time) *preflight.ResourceForecast {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	next := p.lastCheckOf(e)
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
	p.storeCheck(client.ObjectKeyFromObject(e), next)
	return next.forecast
}

// recordForecast keeps the forecast of the check that was begun.
func (p *preflightTracker) recordForecast(e *v1alpha1.BenchmarkExperiment, forecast *preflight.ResourceForecast) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	last := p.lastCheckOf(e)
	last.forecast = forecast
	p.storeCheck(client.ObjectKeyFromObject(e), last)
}

// forgetExperiment drops an experiment that has begun, has failed or is gone.
func (p *preflightTracker) forgetExperiment(key client.ObjectKey) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.lastChecks, key)
}

// resetDelays lets all waiting experiments be checked after firstPreflightDelay, and returns them.
func (p *preflightTracker) resetDelays(now time.Time) []client.ObjectKey {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var waiting []client.ObjectKey
	for key, last := range p.lastChecks {
		if last.started.Add(last.delay).Sub(now) > firstPreflightDelay {
			last.started, last.delay = now, firstPreflightDelay
			p.lastChecks[key] = last
			waiting = append(waiting, key)
		}
	}
	return waiting
}

// lastCheckOf returns the last check of the experiment. It is empty for another experiment that was created under the same name.
func (p *preflightTracker) lastCheckOf(e *v1alpha1.BenchmarkExperiment) preflightCheck {
	last := p.lastChecks[client.ObjectKeyFromObject(e)]
	if last.uid != e.UID {
		return preflightCheck{}
	}
	return last
}

func (p *preflightTracker) storeCheck(key client.ObjectKey, last preflightCheck) {
	if p.lastChecks == nil {
		p.lastChecks = map[client.ObjectKey]preflightCheck{}
	}
	p.lastChecks[key] = last
}

// mapToWaitingExperiments requests the experiments that wait. The controller calls it when a network is deleted, since there may be room then.
func (r *ExperimentReconciler) mapToWaitingExperiments(context.Context, client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for _, key := range r.preflights.resetDelays(r.Now()) {
		requests = append(requests, reconcile.Request{NamespacedName: key})
	}
	return requests
}
