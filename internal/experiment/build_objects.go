package experiment

import (
	"hash/fnv"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
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

// Labels returns the labels of every object of an experiment. They also serve as its selector.
func Labels(e *v1alpha1.BenchmarkExperiment) map[string]string {
	return map[string]string{"app.kubernetes.io/managed-by": v1alpha1.ManagedBy, v1alpha1.LabelExperiment: e.Name}
}

func objectLabels(e *v1alpha1.BenchmarkExperiment, more map[string]string) map[string]string {
	all := Labels(e)
	all["app.kubernetes.io/name"] = "benchnet-experiment"
	all["app.kubernetes.io/instance"] = e.Name
	all["app.kubernetes.io/part-of"] = "benchnet"
	maps.Copy(all, more)
	return all
}

// BuildNetwork returns the object of a planned network.
func (n *PlannedNetwork) BuildNetwork(e *v1alpha1.BenchmarkExperiment) *v1alpha1.BenchmarkNetwork {
	return &v1alpha1.BenchmarkNetwork{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Namespace: e.Namespace, Labels: objectLabels(e, nil)}, Spec: *n.Spec.DeepCopy()}
}

// BuildRun returns the object of a planned run.
func (d *Design) BuildRun(e *v1alpha1.BenchmarkExperiment, r *PlannedRun) *v1alpha1.BenchmarkRun {
	labels := map[string]string{v1alpha1.LabelPoint: r.Point.Name}
	if r.Point.Variant != "" {
		labels[v1alpha1.LabelVariant] = r.Point.Variant
	}
	within := e.Spec.Failures.NetworkReadyWithin
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: r.Name, Namespace: e.Namespace, Labels: objectLabels(e, labels)},
		Spec:       v1alpha1.BenchmarkRunSpec{NetworkName: d.Networks[r.Network].Name, Workload: *r.Workload.DeepCopy(), NetworkReadyWithin: &within},
	}
}

// BuildFirstRun returns the first run of a point. For a search it is the run at the lowest load.
func (d *Design) BuildFirstRun(e *v1alpha1.BenchmarkExperiment, point int) *v1alpha1.BenchmarkRun {
	p := &d.Points[point]
	run := PlannedRun{Point: PointKey{p.Name, p.Variant, p.Parameters}, Network: p.Network, Repetition: 1, Attempt: 1, Workload: p.Workload}
	if s := e.Spec.Saturation; s != nil {
		run.Point, run.Workload = pointAtLoad(p, s.From), workloadAtLoad(p.Workload, s.From)
	}
	run.Name = runName(e, &run)
	return d.BuildRun(e, &run)
}
