package controllers

import (
	"encoding/json"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/steadystate"
)

// stopWhenSteady ends the window once the workers' progress suffices. The decision depends only on the workers'
// reports, and a stop that is written is final. A run without a stop ends with its longest window.
func (r *RunReconciler) stopWhenSteady(pass *runPass) {
	measure := &pass.run.Spec.Workload.Measure
	barrier := pass.snapshot.ConfigMap(naming.BarrierConfigMap(pass.run.Name))
	if measure.SteadyState == nil || barrier == nil || pass.barrierRelease == nil || pass.barrierRelease.Stop != nil {
		return
	}
	window := pass.driver.Workload.Measure.NewWindow(pass.barrierRelease.Start)
	if stop, ok := steadystate.FindStopTime(pass.completionsPerSecond(), steadystate.PolicyFor(measure), window, r.Now()); ok {
		pass.barrierRelease.Stop, pass.barrierRelease.ResourceVersion = &stop, barrier.ResourceVersion
	}
}

// completionsPerSecond returns the completions in each second of the window so far, summed over all workers. It
// is empty until every worker has reported some.
func (p *runPass) completionsPerSecond() []float64 {
	var all [][]int64
	for i := range p.run.Spec.Workload.Workers.Count {
		var progress protocol.Progress
		if cm := p.snapshot.ConfigMap(naming.WorkerReport(p.run.Name, i)); cm != nil {
			// Unreadable progress counts as none; the worker soon reports again.
			_ = json.Unmarshal([]byte(cm.Data[protocol.ProgressKey]), &progress)
		}
		all = append(all, progress.CompletedPerSecond)
	}
	return steadystate.SumCompletions(all...)
}
