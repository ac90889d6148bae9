package experiment

import (
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// PlannedWorkloads returns the workload of each planned run on a network, in the order of the points. A search counts
// with as many runs as it may have, each at its highest load. Runs that are repeated after a failure are not counted.
func (d *Design) PlannedWorkloads(e *v1alpha1.BenchmarkExperiment, network string) []v1alpha1.Workload {
	var all []v1alpha1.Workload
	for i := range d.Points {
		p := &d.Points[i]
		if d.Networks[p.Network].Name != network {
			continue
		}
		workload, runs := p.Workload, max(1, e.Spec.Repetitions)
		if s := e.Spec.Saturation; s != nil {
			workload, runs = workloadAtLoad(p.Workload, s.To, s), s.MaxLoads
		}
		all = append(all, slices.Repeat([]v1alpha1.Workload{workload}, int(runs))...)
	}
	return all
}
