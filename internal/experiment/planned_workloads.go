package experiment

import (
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// PlannedWorkloads returns the workload of each planned run on a network, in the order of the points. A search counts
// with as many runs as it may have, each at its highest load. Runs that are repeated after a failure are not counted.
func (d *Design) PlannedWorkloads(e *v1alpha1.BenchmarkExperiment, network string) []v1alpha1.Workload {
	var all []v1alpha1.Workload
	at := slices.IndexFunc(d.Networks, func(n PlannedNetwork) bool { return n.Name == network })
	for i := range d.Points {
		p := &d.Points[i]
		if at < 0 || p.Network != at%d.DistinctNetworks() {
			continue
		}
		workload, runs := p.Workload, d.runsPerDeployment
		if s := e.Spec.Saturation; s != nil {
			workload, runs = workloadAtLoad(p.Workload, scaleOf(s).steps(&s.To), s), int(s.MaxLoads)
		}
		all = append(all, slices.Repeat([]v1alpha1.Workload{workload}, runs)...)
	}
	return all
}
