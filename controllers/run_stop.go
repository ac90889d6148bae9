package controllers

import (
	"encoding/json"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/steadystate"
)

// stopWhenSteady ends the window once what all workers have told is enough. It follows from the reports alone, so that it comes out the same
// whoever looks at them; once it is written, it stays. A run whose stop never comes ends when its longest window does.
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

// completionsPerSecond of each second of the window so far, over all workers; none as long as one of them has told nothing.
func (p *runPass) completionsPerSecond() []float64 {
	var all [][]int64
	for i := range p.run.Spec.Workload.Workers.Count {
		var told protocol.Progress
		if cm := p.snapshot.ConfigMap(naming.WorkerReport(p.run.Name, i)); cm != nil {
			// What cannot be read counts as nothing told; the worker tells more soon.
			_ = json.Unmarshal([]byte(cm.Data[protocol.ProgressKey]), &told)
		}
		all = append(all, told.CompletedPerSecond)
	}
	return steadystate.SumCompletions(all...)
}
