package controllers_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/statistics"
	"github.com/benchnet/benchnet/internal/status"
)

// TestLargestExperiment takes the experiment with the most points, runs, metrics and gates, and with names of
// maximum length, through its design, result and status on a real API server.
func TestLargestExperiment(t *testing.T) {
	w := newTestEnv(t)
	schema := crdSchema(t, "benchmarkexperiments").Properties["spec"]
	variants, compare := int(*schemaProperty(schema, "variants").MaxItems), schemaProperty(schema, "compare", "metrics")
	var listed, compared, gates []string
	for i := range variants {
		listed = append(listed, fmt.Sprintf("{name: %s}", paddedName(fmt.Sprintf("v%d-", i), 40)))
	}
	for _, m := range compare.Items.Schema.Enum[:*compare.MaxItems] {
		compared = append(compared, string(m.Raw))
		gates = append(gates, fmt.Sprintf("{metric: %s}", m.Raw))
	}
	text := fmt.Sprintf(`
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkExperiment
metadata: {name: %s}
spec:
  template:
    network: {platform: {type: Corda, corda: {version: "4.10"}}, members: {count: 2}}
    workload: {name: w, type: Corda, corda: {finance: {operation: Issue}}, load: {clients: 4}, measure: {window: 24h}, workers: {count: 50}}
  axes: [{name: %s, field: workload.load.clients, values: [1, 2, 3, 4]}, {name: %s, field: workload.measure.window, values: [20h, 21h]},
    {name: %s, field: workload.measure.warmUp, values: [20h, 21h]}]
  variants: [%s]
  strategy: Compare
  compare: {baseline: %s, metrics: [%s], gates: [%s]}
  repetitions: %d`, strings.Repeat("e", 63), paddedName("a", 30), paddedName("b", 30), paddedName("c", 30), strings.Join(listed, ", "), paddedName("v0-", 40),
		strings.Join(compared, ", "), strings.Join(gates, ", "), experiment.MaxRuns/experiment.MaxPoints)
	raw := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(text), &raw.Object))
	raw.SetNamespace(w.namespace)
	must(t, w.client.Create(w.ctx, raw, client.FieldValidation(metav1.FieldValidationStrict)))
	e := &v1alpha1.BenchmarkExperiment{}
	w.mustGet(raw.GetName(), e)
	w.wantSpecFits(e, e.Spec)
	e.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkExperiment"))
	design, err := experiment.NewDesign(e)
	must(t, err)
	if len(design.Points) != experiment.MaxPoints {
		t.Fatalf("%d points, want the maximum %d", len(design.Points), experiment.MaxPoints)
	}
	result := fullExperimentResult(e, design)
	packed, err := experiment.Encode(result)
	must(t, err)
	_, err = experiment.Decode(packed)
	must(t, err)
	t.Logf("the result of %d runs and %d comparisons has %d bytes", len(result.Runs), len(result.Comparisons), len(packed))
	w.applyLargest(e, []client.Object{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.ResultConfigMap(e.Name)},
		BinaryData: map[string][]byte{"result.json.gz": packed}}})
	for _, in := range []status.ExperimentInput{
		{Experiment: e, Step: &experiment.NextStep{TotalTurns: 1, EndedTurns: 1}, Result: result, ResultWritten: true, Plan: &v1alpha1.ExperimentPlan{Runs: 2000}, Now: w.now},
		{Experiment: e, SpecError: fmt.Errorf("%s", strings.Repeat("ü", 1<<20)), Now: w.now},
	} {
		before := e.DeepCopy()
		e.Status = status.ComputeExperiment(in)
		w.writeLargeStatus(before, e)
		w.mustGet(e.Name, e)
		e.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkExperiment"))
	}
}

// paddedName returns a name of n characters with the given beginning.
func paddedName(begin string, n int) string { return begin + strings.Repeat("x", n-len(begin)) }

// fullExperimentResult returns a result with all points, runs and comparisons, and with reasons of maximum
// length.
func fullExperimentResult(e *v1alpha1.BenchmarkExperiment, design *experiment.Design) *experiment.Result {
	random, long := rand.New(rand.NewPCG(1, 1)), strings.Repeat("ü", 2<<10)
	r := &experiment.Result{APIVersion: experiment.APIVersion, Kind: experiment.Kind, SchemaVersion: experiment.SchemaVersion, Axes: design.Axes}
	for _, p := range design.Points {
		point := experiment.Point{Name: p.Name, Parameters: p.Parameters, Variant: p.Variant, Valid: 7, Bottleneck: strings.Repeat("b", 300),
			Metrics: map[string]statistics.Estimate{}}
		for _, metric := range e.Spec.Compare.Metrics {
			point.Metrics[string(metric)] = statistics.Estimate{N: 7, Mean: random.Float64(), StdDev: random.Float64(),
				Uncertainty: statistics.Uncertainty{Interval: &statistics.Range{Low: random.Float64(), High: random.Float64()}}}
			c := experiment.ComparisonOutcome{Candidate: p.Variant, Baseline: p.Variant, Point: p.Name, BaselinePoint: p.Name, Parameters: p.Label(),
				Metric: string(metric), Verdict: "NoDifference", Gate: "Undecided", Message: strings.Repeat("m", 500)}
			r.Comparisons = append(r.Comparisons, c)
		}
		for repetition := range 7 {
			run := experiment.NewFailedRun(fmt.Sprintf("%s-%s-r%d", e.Name, p.Name, repetition), long, time.Unix(1, 0))
			run.Point, run.Repetition, run.ResultConfigMap, run.Metrics = p.Name, repetition, naming.ResultConfigMap(run.Name), map[string]float64{}
			for _, metric := range e.Spec.Compare.Metrics {
				run.Metrics[string(metric)] = random.Float64()
			}
			r.Runs = append(r.Runs, run)
		}
		r.Points = append(r.Points, point)
	}
	for i := range 200 {
		r.Saturation = append(r.Saturation, experiment.Saturation{Name: fmt.Sprintf("%d %s", i, design.Points[0].Label()), Message: strings.Repeat("m", 500)})
	}
	return r
}

// schemaProperty returns the nested property at the path.
func schemaProperty(schema apiextensionsv1.JSONSchemaProps, path ...string) apiextensionsv1.JSONSchemaProps {
	for _, name := range path {
		schema = schema.Properties[name]
	}
	return schema
}
