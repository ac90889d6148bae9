package controllers

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// An experiment that cannot begin yet is checked again after firstPreflightDelay. The delay doubles with each
// further check, up to maxPreflightDelay.
const (
	firstPreflightDelay = 15 * time.Second
	maxPreflightDelay   = 10 * time.Minute
)

// preflightTracker holds the last check of each experiment that was checked and has not begun. A check may cost
// hundreds of dry runs, so only a new generation or the deletion of a network brings a check forward. An operator
// restart loses the checks: each experiment is then checked once more.
type preflightTracker struct {
	mutex      sync.Mutex
	lastChecks map[client.ObjectKey]preflightCheck
}

// preflightCheck is the last check of one experiment.
type preflightCheck struct {
	uid        types.UID
	generation int64
	started    time.Time
	delay      time.Duration
}

// remainingDelay returns how long until the next check is due.
func (p *preflightTracker) remainingDelay(e *v1alpha1.BenchmarkExperiment, now time.Time) time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	last := p.lastCheckOf(e)
	return max(0, last.started.Add(last.delay).Sub(now))
}

// startCheck records the start of a check.
func (p *preflightTracker) startCheck(e *v1alpha1.BenchmarkExperiment, now time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	next := p.lastCheckOf(e)
	next.delay = min(max(2*next.delay, firstPreflightDelay), maxPreflightDelay)
	next.uid, next.generation, next.started = e.UID, e.Generation, now
	if p.lastChecks == nil {
		p.lastChecks = map[client.ObjectKey]preflightCheck{}
	}
	p.lastChecks[client.ObjectKeyFromObject(e)] = next
}

// forgetExperiment drops the check of an experiment that has begun, has failed or was deleted.
func (p *preflightTracker) forgetExperiment(key client.ObjectKey) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.lastChecks, key)
}

// resetDelays brings the checks that are further away than firstPreflightDelay forward to then, and returns
// their experiments.
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

// lastCheckOf returns the last check of this generation of the experiment. It is empty if there was none, so that a changed spec is
// checked at once.
func (p *preflightTracker) lastCheckOf(e *v1alpha1.BenchmarkExperiment) preflightCheck {
	last := p.lastChecks[client.ObjectKeyFromObject(e)]
	if last.uid != e.UID || last.generation != e.Generation {
		return preflightCheck{}
	}
	return last
}

// mapToWaitingExperiments requests the experiments whose checks are brought forward. The controller calls it
// when a network is deleted, which may free quota.
func (r *ExperimentReconciler) mapToWaitingExperiments(context.Context, client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for _, key := range r.preflights.resetDelays(r.Now()) {
		requests = append(requests, reconcile.Request{NamespacedName: key})
	}
	return requests
}
