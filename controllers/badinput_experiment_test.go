package controllers_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// validExperiment is the experiment that each case of TestBadExperiments makes invalid.
const validExperiment = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkExperiment
metadata: {name: sweep}
spec:
  template:
    network:
      platform: {type: Corda, corda: {version: "4.10"}}
      members: {count: 2, heap: 1Gi, cores: "1", memory: 3Gi}
      database: {engine: PostgreSQL, topology: Shared}
    workload:
      name: issue
      type: Corda
      corda: {finance: {operation: Issue}}
      load: {clients: 4}
      measure: {warmUp: 1s, window: 10s}
  axes:
  - {name: users, field: workload.load.clients, values: [1, 2]}
  variants:
  - {name: old, patch: {network: {platform: {corda: {version: "4.3"}}}}}
  - {name: new}
  repetitions: 2
  order: {type: Interleaved}
  networkRetention: Delete
`

const (
	axisValues     = "values: [1, 2]"
	variantPatch   = `patch: {network: {platform: {corda: {version: "4.3"}}}}`
	saturationSpec = "strategy: Saturation\n  saturation: {from: 1, to: 64, objectives: [{metric: LatencyP95, maxLatency: 500ms}]}\n  networkRetention: Delete"
	compareSpec    = "strategy: Compare\n  compare: {baseline: old, metrics: [Throughput], gates: [{metric: Throughput}]}\n  networkRetention: Delete"
	deleteNetworks = "networkRetention: Delete"
	ownPlan        = "type: JMeter\n      jmeter: {configMapName: plan}\n      load: {clients: 4}\n      measure: {warmUp: 1s, window: 10s}\n" +
		"  variants: [{name: old}, {name: new}]\n  "
)

// ownPlanFrom is the part of validExperiment that ownPlan and a strategy replace.
var ownPlanFrom = strings.TrimRight(validExperiment[strings.Index(validExperiment, "type: Corda\n"):], "\n")

// replaceOnce replaces the first occurrence of from in a strategy, to introduce a mistake.
func replaceOnce(strategy, from, to string) string { return strings.Replace(strategy, from, to, 1) }

var badExperiments = []badInputCase{
	// Names.
	{"name too long", "name: sweep}", "name: " + strings.Repeat("s", 64) + "}", []string{"metadata.name", "at most 63 characters"}},
	{"name that begins with a digit", "name: sweep}", "name: 1sweep}", []string{"metadata.name", "begins with a letter"}},
	{"axis name with a blank", "name: users", "name: the users", []string{"spec.axes[0].name", "the users"}},
	{"variant name with a slash", "name: old", "name: old/er", []string{"spec.variants[0].name", "old/er"}},
	{"the same axis twice", "axes:", "axes:\n  - {name: users, field: network.members.count, values: [2, 3]}", []string{"spec.axes[1]", "Duplicate", "users"}},
	{"the same variant twice", "name: new", "name: old", []string{"spec.variants[1]", "Duplicate", "old"}},
	{"identity of pods in a variant", variantPatch, "patch: {network: {podTemplate: {metadata: {annotations: {iam.amazonaws.com/role: a}}}}}",
		[]string{"network.podTemplate.metadata.annotations[iam.amazonaws.com/role]", "allowed are"}},
	// Axes.
	{"field outside of the template", "field: workload.load.clients", "field: spec.load.clients", []string{"spec.axes[0].field", "spec.load.clients"}},
	{"missing field", "load.clients", "load.users", []string{"spec.axes[0].field", "workload.load.users"}},
	{"misnamed field", "workload.load.clients", "network.members.cpus", []string{"spec.axes[0].field", "network.members.cpus"}},
	{"missing entry of a list", "field: workload.load.clients", "field: \"network.regions.items[2].count\"", []string{"spec.axes[0].field", "regions", "0 entries", "2"}},
	{"text for a number", axisValues, "values: [1, many]", []string{"spec.axes[0].field", "workload.load.clients", "many", "must be a whole number"}},
	{"number for an enum", "workload.load.clients, " + axisValues, "network.database.topology, values: [7]", []string{"users=7", "spec.database.topology", "7", "PerMember"}},
	{"value outside the enum", "workload.load.clients, " + axisValues, "network.database.topology, values: [Shraed]", []string{"users=Shraed", "spec.database.topology", "Shraed", "PerMember"}},
	{"value out of the field's bounds", axisValues, "values: [0]", []string{"spec.axes[0].field", "workload.load.clients", "0", "must be greater than 0"}},
	{"value below the field's bounds", axisValues, "values: [-1]", []string{"users=-1", "clients", "-1", "greater than or equal to 1"}},
	{"value that the platform refuses", "workload.load.clients, " + axisValues, "network.members.memory, values: [512Mi]", []string{"memory", "512Mi", "heap"}},
	{"the same value twice", axisValues, "values: [1, 1]", []string{"spec.axes[0].values[1]", "Duplicate"}},
	{"no value", axisValues, "values: []", []string{"spec.axes[0].values"}},
	{"neither values nor range", ", " + axisValues, "", []string{"spec.axes[0]", "exactly one of values, range and logarithmic"}},
	{"values and range", axisValues, axisValues + ", range: {from: 1, to: 4, step: 1}", []string{"spec.axes[0]", "exactly one of values, range and logarithmic"}},
	{"range with no step", axisValues, "range: {from: 1, to: 4, step: 0}", []string{"spec.axes[0].range.step", "0", "above 0"}},
	{"descending range", axisValues, "range: {from: 4, to: 1, step: 1}", []string{"spec.axes[0].range.from", "4", "must not exceed to"}},
	{"range with too many values", axisValues, "range: {from: 1, to: 1000, step: 1}", []string{"spec.axes[0].range.step", "more than 100 values"}},
	{"logarithmic from zero", axisValues, "logarithmic: {from: 0, to: 100, points: 3}", []string{"spec.axes[0].logarithmic.from", "greater than or equal to 1"}},
	{"descending logarithmic range", axisValues, "logarithmic: {from: 100, to: 1, points: 3}", []string{"spec.axes[0].logarithmic.from", "below to"}},
	{"logarithmic of one point", axisValues, "logarithmic: {from: 1, to: 100, points: 1}", []string{"spec.axes[0].logarithmic.points", "greater than or equal to 2"}},
	{"two axes of one field", "axes:", "axes:\n  - {name: again, field: workload.load.clients, values: [5]}", []string{"spec.axes[1].field", "workload.load.clients", "again"}},
	{"an axis above another", "axes:", "axes:\n  - {name: load, field: workload.load, values: [5]}", []string{"workload.load", "load"}},
	{"too many points", axisValues, "range: {from: 1, to: 100, step: 1}}\n  - {name: window, field: workload.measure.window, values: [5s, 6s, 7s]", []string{"spec.axes", "256 points"}},
	{"too many runs", "repetitions: 2", "repetitions: 101", []string{"spec.repetitions", "100"}},
	// Variants.
	{"patch of a missing field", variantPatch, "patch: {network: {plattform: {}}}", []string{"spec.variants[0].patch", "plattform"}},
	{"patch outside of the template", variantPatch, "patch: {spec: {network: {}}}", []string{"spec.variants[0].patch", "spec"}},
	{"patch of nothing", variantPatch, "patch: {workload: {workers: {count: 0}}}", []string{"spec.variants[0].patch", "workload.workers.count", "greater than 0"}},
	{"patch of the wrong type", variantPatch, "patch: {network: {members: {count: two}}}", []string{"spec.variants[0].patch", "two", "network.members.count must be a whole number"}},
	{"patch that the platform refuses", `{version: "4.3"}`, `{version: "4.2"}`, []string{"version", "4.2", "4.3"}},
	{"patch that is a list", variantPatch, "patch: [1]", []string{"spec.variants[0].patch", "object"}},
	{"patch and axis of one field", variantPatch, "patch: {workload: {load: {clients: 9}}}", []string{"spec.variants[0].patch", "workload.load.clients", "axis users"}},
	// The template.
	{"workloads in the network template", "database:", "workloads: [{name: x, type: Corda, corda: {finance: {operation: Issue}}, load: {clients: 1}}]\n      database:", []string{"unknown field", "spec.template.network.workloads"}},
	{"invalid template", "operation: Issue", "operation: Isue", []string{"template.workload", "finance.operation", "Isue"}},
	{"template without a workload", validExperiment[strings.Index(validExperiment, "    workload:"):strings.Index(validExperiment, "  axes:")], "", []string{"spec.template.workload", "Required"}},
	// Strategy and order.
	{"unknown strategy", deleteNetworks, "strategy: Random", []string{"spec.strategy", "Random", "Saturation"}},
	{"unknown order", "type: Interleaved", "type: Random", []string{"spec.order.type", "Random", "Shuffled"}},
	{"seed without a shuffle", "type: Interleaved", "type: Listed, seed: 7", []string{"order.seed", "Shuffled"}},
	{"uneven deployments", "repetitions: 2", "repetitions: 7\n  deployments: 2", []string{"spec.repetitions", "multiple of spec.deployments"}},
	{"deployments of one uncounted run", "repetitions: 2", "repetitions: 6\n  deployments: 6\n  strategy: Compare\n  compare: {baseline: A}", []string{"spec.repetitions", "firstRepetition to Count"}},
	{"control without a stored result", "repetitions: 2", "repetitions: 2\n  strategy: Compare\n  variants: [{name: A}, {name: B}]\n  compare: {baseline: A, control: B}", []string{"compare.control", "needs compare.stored"}},
	{"control of no variant", "repetitions: 2", "repetitions: 2\n  strategy: Compare\n  variants: [{name: A}, {name: B}]\n  compare: {control: C, stored: {configMapName: earlier}}", []string{"spec.compare.control", "names of spec.variants"}},
	{"control of one variant", "repetitions: 2", "repetitions: 2\n  strategy: Compare\n  variants: [{name: A}]\n  compare: {control: A, stored: {configMapName: earlier}}", []string{"spec.variants must hold at least two variants", "spec.compare.control"}},
	{"no deployments", "repetitions: 2", "repetitions: 2\n  deployments: 0", []string{"spec.deployments", "greater than or equal to 1"}},
	{"no repetitions", "repetitions: 2", "repetitions: 0", []string{"spec.repetitions", "greater than or equal to 1"}},
	{"no parallelism", deleteNetworks, "parallelism: 0", []string{"spec.parallelism", "greater than or equal to 1"}},
	{"no attempts", deleteNetworks, "failures: {onFailed: Repeat, attempts: 0}", []string{"spec.failures.attempts", "greater than or equal to 1"}},
	{"an unknown kind of failure", deleteNetworks, "failures: {onFailed: Retry}", []string{"spec.failures.onFailed", "Retry", "Repeat"}},
	{"unknown field", deleteNetworks, "repetitoins: 3", []string{"unknown field", "spec.repetitoins"}},
	// Saturation.
	{"search without its parameters", deleteNetworks, "strategy: Saturation", []string{"spec.saturation must be set"}},
	{"search in a grid", deleteNetworks, "saturation: {from: 1, to: 4, objectives: [{metric: LatencyP95, maxLatency: 1s}]}", []string{"spec.saturation must be set when, and only when"}},
	{"search from nothing", deleteNetworks, replaceOnce(saturationSpec, "from: 1,", "from: 0,"), []string{"spec.saturation.from", "above 0"}},
	{"search for a part of a client", deleteNetworks, replaceOnce(saturationSpec, "from: 1,", "from: 500m,"), []string{"spec.saturation.from", "500m", "whole number of clients"}},
	{"search beyond a million", deleteNetworks, replaceOnce(saturationSpec, "to: 64", "to: 2M"), []string{"spec.saturation.to", "2M", "at most 1000000"}},
	{"descending search", deleteNetworks, replaceOnce(saturationSpec, "from: 1,", "from: 65,"), []string{"saturation.from", "saturation.to"}},
	{"search without a service level", deleteNetworks, replaceOnce(saturationSpec, ", objectives: [{metric: LatencyP95, maxLatency: 500ms}]", ""), []string{"spec.saturation.objectives", "Required"}},
	{"zero latency", deleteNetworks, replaceOnce(saturationSpec, "500ms", "0s"), []string{"saturation.objectives[0].maxLatency"}},
	{"two latencies", deleteNetworks, replaceOnce(saturationSpec, "maxLatency: 500ms}", "maxLatency: 500ms}, {metric: LatencyP99, maxLatency: 2s}"), []string{"saturation.objectives must have one maxLatency"}},
	{"search for a throughput", deleteNetworks, replaceOnce(saturationSpec, "maxLatency: 500ms}", "maxLatency: 500ms}, {metric: Throughput, minThroughputPerSecond: 5}"),
		[]string{"saturation.objectives must have one maxLatency"}},
	{"errors above all", deleteNetworks, replaceOnce(saturationSpec, "maxLatency: 500ms}", "maxLatency: 500ms}, {metric: ErrorShare, maxErrorPercent: 101}"),
		[]string{"spec.saturation.objectives[1].maxErrorPercent", "101", "from 0 to 100"}},
	{"service level of earlier versions", deleteNetworks, replaceOnce(saturationSpec, "objectives: [{metric: LatencyP95, maxLatency: 500ms}]", "serviceLevel: {latency: 500ms}"),
		[]string{"unknown field", "spec.saturation.serviceLevel"}},
	{"latency without a unit", deleteNetworks, replaceOnce(saturationSpec, "500ms", `"500"`), []string{"saturation.objectives[0].maxLatency"}},
	{"interleaved search", deleteNetworks, saturationSpec, []string{"spec.order.type", "Interleaved", "Listed or Shuffled"}},
	{"search over the load", "  repetitions: 2\n  order: {type: Interleaved}\n  networkRetention: Delete", "  " + saturationSpec, []string{"spec.axes[0].field", "workload.load.clients", "search"}},
	{"repeated search", "order: {type: Interleaved}\n  networkRetention: Delete", saturationSpec, []string{"spec.repetitions", "2", "saturation.repeats"}},
	// Comparison.
	{"comparison without its parameters", deleteNetworks, "strategy: Compare", []string{"spec.compare must be set"}},
	{"comparison in a grid", deleteNetworks, replaceOnce(compareSpec, "strategy: Compare\n  ", ""), []string{"spec.compare must be set when, and only when"}},
	{"listed comparison", "order: {type: Interleaved}\n  networkRetention: Delete", "order: {type: Listed}\n  " + compareSpec, []string{"spec.order.type must not be Listed", "use RandomizedPairs"}},
	{"baseline that is not a variant", deleteNetworks, replaceOnce(compareSpec, "baseline: old", "baseline: older"), []string{"spec.compare.baseline", "names of spec.variants"}},
	{"neither baseline nor stored", deleteNetworks, replaceOnce(compareSpec, "baseline: old, ", ""), []string{"exactly one of baseline", "stored"}},
	{"two baselines", deleteNetworks, replaceOnce(compareSpec, "baseline: old", "baseline: old, stored: {configMapName: x}"), []string{"exactly one of baseline", "stored"}},
	{"unknown metric", deleteNetworks, replaceOnce(compareSpec, "metrics: [Throughput]", "metrics: [Speed]"), []string{"spec.compare.metrics[0]", "Speed", "Throughput"}},
	{"gate of a metric outside the comparison", deleteNetworks, replaceOnce(compareSpec, "metrics: [Throughput]", "metrics: [LatencyP95]"), []string{"compare.gates[].metric must be among compare.metrics"}},
	{"gate of a scope outside the comparison", deleteNetworks, replaceOnce(compareSpec, "{metric: Throughput}", "{metric: Throughput, scope: segment/top}"), []string{"compare.gates[].scope must be among compare.scopes"}},
	{"scope of no segment", deleteNetworks, replaceOnce(compareSpec, "metrics: [Throughput]", "metrics: [Throughput], scopes: [segment/top]"), []string{"spec.compare.scopes[0]", "segment/top", "needs load.profile or faults"}},
	{"comparison by an unknown finality", ownPlanFrom, ownPlan + replaceOnce(compareSpec, "metrics: [Throughput], gates: [{metric: Throughput}]", "metrics: [Throughput, FinalityP95]"),
		[]string{"spec.compare.metrics[1]", "FinalityP95", "operations of JMeter workloads on Corda networks"}},
	{"search for an unknown finality", ownPlanFrom, ownPlan + "order: {type: Listed}\n  " + replaceOnce(saturationSpec, "LatencyP95", "FinalityP95"),
		[]string{"spec.saturation.objectives[0].metric", "FinalityP95", "operations of JMeter workloads on Corda networks"}},
	{"gate without a metric", deleteNetworks, replaceOnce(compareSpec, "{metric: Throughput}", `{maxRegressionPercent: "5"}`), []string{"spec.compare.gates[0].metric", "Required"}},
	{"gate with a negative bound", deleteNetworks, replaceOnce(compareSpec, "{metric: Throughput}", "{metric: Throughput, maxRegressionPercent: -5}"), []string{"maxRegressionPercent must not be negative"}},
	{"confidence of 100 %", deleteNetworks, replaceOnce(compareSpec, "baseline: old", "baseline: old, confidencePercent: 100"), []string{"spec.compare.confidencePercent", "99"}},
}

// TestExperimentWithQueries rejects the queries of a point before a network is created.
func TestExperimentWithQueries(t *testing.T) {
	w := newTestEnv(t)
	message := w.experimentRejectionMessage(strings.Replace(validExperiment, "      load: ", "      objectives: [{query: {name: queue, expression: 'sum(up', max: \"1\"}}]\n      load: ", 1))
	for _, part := range []string{"workload.objectives[0].query.expression", "1:7: parse error", "set --prometheus-url"} {
		if !strings.Contains(message, part) {
			t.Errorf("the message should name %q: %s", part, message)
		}
	}
}

func TestBadExperiments(t *testing.T) { expectExperimentRejections(t, validExperiment, badExperiments) }

// expectExperimentRejections expects a message that names the field and the valid values. No objects may be created.
func expectExperimentRejections(t *testing.T, good string, mistakes []badInputCase) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			w := newTestEnv(t)
			text := strings.Replace(good, m.from, m.to, 1)
			if text == good {
				t.Fatalf("the case does not change the experiment, which lacks %q", m.from)
			}
			message := w.experimentRejectionMessage(text)
			t.Log(message)
			for _, part := range m.want {
				if !strings.Contains(message, part) {
					t.Errorf("the message should name %q: %s", part, message)
				}
			}
			if created := w.listObjectNames(); len(created) > 1 {
				t.Errorf("a refused experiment must create no objects, but there are %v", created)
			}
		})
	}
}

// experimentRejectionMessage returns the message with which an experiment is rejected.
func (w *testEnv) experimentRejectionMessage(text string) string {
	w.t.Helper()
	e := &v1alpha1.BenchmarkExperiment{}
	if err := w.createFromYAML(text, e); err != nil {
		return err.Error()
	}
	w.reconcileExperiment(e.Name)
	w.mustGet(e.Name, e)
	accepted := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionAccepted)
	if accepted == nil || accepted.Status != "False" {
		w.t.Fatalf("the experiment should be refused, but Accepted is %+v", accepted)
	}
	return accepted.Message
}

// reconcileExperiment makes one pass that must succeed.
func (w *testEnv) reconcileExperiment(name string) {
	w.t.Helper()
	_, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor(name))
	must(w.t, err)
}

func TestImmutableExperimentFields(t *testing.T) {
	whole := strings.Replace(validExperiment, deleteNetworks, compareSpec, 1)
	cases := []struct{ name, from, to, want string }{
		{"template", `"4.10"`, `"4.9"`, "cannot change"},
		{"axis", axisValues, "values: [1, 3]", "spec cannot change, except delivery"},
		{"variant", "name: new", "name: newer", "spec cannot change, except delivery"},
		{"repetitions", "repetitions: 2", "repetitions: 3", "cannot change"},
		{"deployments", "repetitions: 2", "repetitions: 2\n  deployments: 2", "cannot change"},
		{"comparison", "baseline: old", "baseline: new", "spec cannot change, except delivery"},
		{"parallelism", deleteNetworks, "networkRetention: Delete\n  parallelism: 2", ""},
		{"pause", deleteNetworks, "networkRetention: Delete\n  pauseRuns: true", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newTestEnv(t)
			e := &v1alpha1.BenchmarkExperiment{}
			must(t, w.createFromYAML(whole, e))
			changed := strings.Replace(whole, c.from, c.to, 1)
			if changed == whole {
				t.Fatalf("the case does not change the experiment, which lacks %q", c.from)
			}
			wanted := w.decodeYAML(changed)
			wanted.SetResourceVersion(e.ResourceVersion)
			err := w.client.Update(w.ctx, wanted)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the change should be refused with %q, but: %v", c.want, err)
			}
		})
	}
}
