package experiment

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// Seed returns the seed of an experiment: the one in its spec, or one derived from its UID.
func Seed(e *v1alpha1.BenchmarkExperiment) int64 {
	if e.Spec.Order.Seed != nil {
		return *e.Spec.Order.Seed
	}
	h := fnv.New32a()
	h.Write([]byte(e.UID))
	return int64(h.Sum32())
}

// BuildNetwork returns the object of a planned network.
func (n *PlannedNetwork) BuildNetwork(e *v1alpha1.BenchmarkExperiment) *v1alpha1.BenchmarkNetwork {
	return &v1alpha1.BenchmarkNetwork{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Namespace: e.Namespace, Labels: naming.ExperimentLabels(e.Name)}, Spec: *n.Spec.DeepCopy()}
}

// BuildRun returns the object of a planned run.
func (d *Design) BuildRun(e *v1alpha1.BenchmarkExperiment, r *PlannedRun) *v1alpha1.BenchmarkRun {
	labels := naming.ExperimentLabels(e.Name)
	labels[v1alpha1.LabelPoint] = r.Point.Name
	if r.Point.Variant != "" {
		labels[v1alpha1.LabelVariant] = r.Point.Variant
	}
	within := e.Spec.Failures.StartTimeout
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: r.Name, Namespace: e.Namespace, Labels: labels},
		Spec: v1alpha1.BenchmarkRunSpec{NetworkName: d.Networks[r.Network].Name, Workload: *r.Workload.DeepCopy(), StartTimeout: &within,
			Delivery: e.Spec.Delivery.Runs},
	}
}

// BuildFirstRun returns the first run of a point. For a search it is the run at the lowest load.
func (d *Design) BuildFirstRun(e *v1alpha1.BenchmarkExperiment, point int) *v1alpha1.BenchmarkRun {
	p := &d.Points[point]
	run := PlannedRun{Point: PointKey{p.Name, p.Variant, p.Parameters}, Network: p.Network, Repetition: 1, Attempt: 1, Workload: p.Workload}
	if s := e.Spec.Saturation; s != nil {
		scale := scaleOf(s)
		from := scale.steps(&s.From)
		run.Point, run.Workload = pointAtLoad(p, from, scale), workloadAtLoad(p.Workload, from, s)
	}
	run.Name = runName(e, &run)
	return d.BuildRun(e, &run)
}

// FindChangedField returns the path of a field of a planned run that the live run lacks or has with another value, or "" if there
// is none. Fields that only the live run has are defaults of the API.
func FindChangedField(planned, live *v1alpha1.BenchmarkRunSpec) (string, error) {
	var documents [2]any
	for i, spec := range []*v1alpha1.BenchmarkRunSpec{planned, live} {
		content, err := json.Marshal(spec)
		if err != nil {
			return "", err
		}
		if err := json.Unmarshal(content, &documents[i]); err != nil {
			return "", err
		}
	}
	return findChangedField(documents[0], documents[1], "spec"), nil
}

func findChangedField(planned, live any, path string) string {
	switch p := planned.(type) {
	case map[string]any:
		l, _ := live.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(p)) {
			if found := findChangedField(p[name], l[name], path+"."+name); found != "" {
				return found
			}
		}
		return ""
	case []any:
		l, _ := live.([]any)
		if len(l) != len(p) {
			return path
		}
		for i := range p {
			if found := findChangedField(p[i], l[i], fmt.Sprintf("%s[%d]", path, i)); found != "" {
				return found
			}
		}
		return ""
	}
	if planned != live {
		return path
	}
	return ""
}

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
