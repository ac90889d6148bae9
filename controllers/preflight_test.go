package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// startedExperiment returns an experiment whose check started at that time.
func startedExperiment(p *preflightTracker, at time.Time) *v1alpha1.BenchmarkExperiment {
	e := &v1alpha1.BenchmarkExperiment{ObjectMeta: metav1.ObjectMeta{Name: "e", UID: "1", Generation: 1}}
	p.startCheck(e, at)
	return e
}

func TestPreflightDelays(t *testing.T) {
	var p preflightTracker
	now := time.Unix(0, 0)
	e := startedExperiment(&p, now)
	for i, want := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute,
		8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		if got := p.remainingDelay(e, now); got != want {
			t.Errorf("the check after check %d waits %s, want %s", i+1, got, want)
		}
		now = now.Add(want)
		if got := p.remainingDelay(e, now); got != 0 {
			t.Errorf("check %d is due, but waits %s", i+2, got)
		}
		p.startCheck(e, now)
	}
}

func TestPreflightDelayOfNextCheck(t *testing.T) {
	now := time.Unix(0, 0)
	for name, c := range map[string]struct {
		change    func(*preflightTracker, *v1alpha1.BenchmarkExperiment)
		remaining time.Duration
	}{
		"unchanged":             {func(*preflightTracker, *v1alpha1.BenchmarkExperiment) {}, 30 * time.Second},
		"new generation":        {func(_ *preflightTracker, e *v1alpha1.BenchmarkExperiment) { e.Generation++ }, 0},
		"recreated":             {func(_ *preflightTracker, e *v1alpha1.BenchmarkExperiment) { e.UID = "2" }, 0},
		"a network was deleted": {func(p *preflightTracker, _ *v1alpha1.BenchmarkExperiment) { p.resetDelays(now) }, 15 * time.Second},
		"it was accepted": {func(p *preflightTracker, e *v1alpha1.BenchmarkExperiment) {
			p.forgetExperiment(client.ObjectKeyFromObject(e))
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var p preflightTracker
			e := startedExperiment(&p, now)
			p.startCheck(e, now)
			c.change(&p, e)
			if got := p.remainingDelay(e, now); got != c.remaining {
				t.Errorf("the next check waits %s, want %s", got, c.remaining)
			}
		})
	}
}
