package controllers

import (
	"encoding/json"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/results"
	"github.com/benchnet/benchnet/internal/statistics"
)

// stopLead is how far ahead of the stop all workers are told of it, at least.
const stopLead = 2 * time.Second

// steadyPolicy is when a workload without fixed times may end.
func steadyPolicy(m *v1alpha1.Measure) statistics.SteadyPolicy {
	return statistics.SteadyPolicy{
		HalfWidth: float64(m.SteadyState.HalfWidthPercent) / 100, Confidence: float64(m.SteadyState.ConfidencePercent) / 100,
		MinWindow: int(m.SteadyState.MinWindow.Seconds()), MaxWarmUp: int(m.WarmUp.Seconds()), MaxWindow: int(m.Window.Seconds()),
	}
}

// stop ends the window once what all workers have told of it is enough: with the next interval that ends far enough ahead. It follows
// from the reports alone, so that it comes out the same whoever looks at them; once it is written, it stays. A run whose stop never
// comes ends when its longest window does.
func (r *RunReconciler) stop(pass *runPass) {
	measure := &pass.run.Spec.Workload.Measure
	if measure.SteadyState == nil || pass.released == nil || pass.released.Stop != nil {
		return
	}
	barrier := pass.snapshot.ConfigMap(names.Barrier(pass.run.Name))
	if barrier == nil || !statistics.Steady(pass.completions(), steadyPolicy(measure)).Done {
		return
	}
	orders := pass.driver.Workload.Measure
	window, interval := orders.Window(pass.released.Start), time.Duration(orders.IntervalSeconds)*time.Second
	passed := r.Now().Add(stopLead).Sub(window.From())
	stop := window.From().Add((passed + interval - 1) / interval * interval)
	if stop.Before(window.To()) {
		pass.released.Stop, pass.released.Unless = &stop, barrier.ResourceVersion
	}
}

// completions of each second of the window so far, over all workers; none as long as one of them has told nothing.
func (p *runPass) completions() []float64 {
	var all [][]int64
	for i := range p.run.Spec.Workload.Workers.Count {
		var told protocol.Progress
		if cm := p.snapshot.ConfigMap(names.Report(p.run.Name, i)); cm != nil {
			// What cannot be read counts as nothing told; the worker tells more soon.
			_ = json.Unmarshal([]byte(cm.Data[protocol.ProgressKey]), &told)
		}
		all = append(all, told.CompletedPerSecond)
	}
	return results.Completions(all...)
}
