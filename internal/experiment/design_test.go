package experiment

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const experimentManifest = `
metadata: {name: exp, namespace: bench, uid: 8d3b2f8a-1111-2222-3333-444455556666}
spec:
  repetitions: 2
  template:
    network:
      platform:
        type: Corda
        corda: {version: "4.10", notary: {type: Single}, cordapps: {type: Finance}, tuning: {p2pCompression: Enabled}}
      members: {count: 2, heap: 1Gi}
    workload:
      name: pay
      type: Corda
      corda: {flow: {class: a.Flow, arguments: [{type: Int, value: "1"}]}}
      load: {model: Closed, clients: 10}
      measure: {warmUp: 10s, window: 20s}
`

// parseExperiment returns the template with additions to its spec.
func parseExperiment(t *testing.T, spec string) *v1alpha1.BenchmarkExperiment {
	t.Helper()
	var e v1alpha1.BenchmarkExperiment
	for _, text := range []string{experimentManifest, spec} {
		if err := yaml.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
	}
	return &e
}

func parseDesign(t *testing.T, spec string) (*v1alpha1.BenchmarkExperiment, *Design) {
	t.Helper()
	e := parseExperiment(t, spec)
	d, err := NewDesign(e)
	if err != nil {
		t.Fatal(err)
	}
	return e, d
}

func TestPlannedWorkloads(t *testing.T) {
	for name, test := range map[string]struct {
		spec, network string
		want          int
	}{
		"all points on a network": {`{spec: {axes: [{name: clients, field: workload.load.clients, values: [1, 10, 100]}]}}`, "exp-n1", 3 * 2},
		"points on one of two":    {`{spec: {axes: [{name: count, field: network.members.count, values: [2, 3]}]}}`, "exp-n2", 2},
		"a later deployment":      {`{spec: {repetitions: 6, deployments: 3}}`, "exp-n3", 2},
		"a search":                {`{spec: {repetitions: 1, strategy: Saturation, saturation: {from: 1, to: 64, maxLoads: 7}}}`, "exp-n1", 7},
		"another network":         {`{spec: {}}`, "other", 0},
	} {
		t.Run(name, func(t *testing.T) {
			e, d := parseDesign(t, test.spec)
			planned := d.PlannedWorkloads(e, test.network)
			if len(planned) != test.want {
				t.Errorf("%d runs are planned, want %d", len(planned), test.want)
			}
			if name == "a search" && planned[0].Load.Clients != 64 {
				t.Errorf("a search is planned with %d clients, want 64", planned[0].Load.Clients)
			}
		})
	}
}

// TestComparisonsHaveStricterStability checks that only comparisons without a policy of their own get another default.
func TestComparisonsHaveStricterStability(t *testing.T) {
	compare := "strategy: Compare, variants: [{name: a}, {name: b}], compare: {baseline: a}"
	for name, test := range map[string]struct {
		spec string
		want v1alpha1.StabilityPolicy
	}{
		"grid":                   {"{spec: {strategy: Grid}}", ""},
		"comparison":             {"{spec: {" + compare + "}}", v1alpha1.StabilityModerate},
		"comparison with policy": {"{spec: {" + compare + ", template: {workload: {measure: {stabilityPolicy: Tolerant}}}}}", v1alpha1.StabilityTolerant},
	} {
		t.Run(name, func(t *testing.T) {
			e := parseExperiment(t, test.spec)
			design, err := NewDesign(e)
			if err != nil {
				t.Fatal(err)
			}
			run := design.BuildFirstRun(e, 0)
			if got := run.Spec.Workload.Measure.StabilityPolicy; got != test.want {
				t.Errorf("the policy is %q, want %q", got, test.want)
			}
		})
	}
}

func TestPointsShareOneNetwork(t *testing.T) {
	_, d := parseDesign(t, `{spec: {axes: [{name: clients, field: workload.load.clients, values: [1, 10, 100]}]}}`)
	if len(d.Networks) != 1 || d.Networks[0].Name != "exp-n1" {
		t.Fatalf("networks %v, want exp-n1 alone: the points differ in load only", d.Networks)
	}
	for i, want := range []int32{1, 10, 100} {
		if got := d.Points[i].Workload.Load.Clients; got != want {
			t.Errorf("point %s has %d clients, want %d", d.Points[i].Name, got, want)
		}
	}
	if name := d.Points[2].Name; name != "p03" {
		t.Errorf("the third point is %s", name)
	}
}

func TestNetworksAreShared(t *testing.T) {
	_, d := parseDesign(t, `
spec:
  axes:
  - {name: participants, field: network.members.count, range: {from: 4, to: 6, step: 1}}
  - {name: clients, field: workload.load.clients, values: [1, 2]}
  variants:
  - {name: old, patch: {network: {platform: {corda: {version: "4.3"}}}}}
  - {name: new}
  - {name: again, patch: {workload: {measure: {window: 30s}}}}
`)
	if len(d.Points) != 18 || len(d.Networks) != 6 {
		t.Fatalf("%d points on %d networks, want 18 on 6: old and new at three sizes", len(d.Points), len(d.Networks))
	}
	p := d.Points[3]
	if p.Label() != "variant=old participants=5 clients=2" || d.Networks[p.Network].Spec.Platform.Corda.Version != "4.3" ||
		d.Networks[p.Network].Spec.Members.Count != 5 || p.Workload.Load.Clients != 2 {
		t.Errorf("the fourth point is %s: %+v", p.Label(), p)
	}
	if d.Points[12].Network != d.Points[6].Network {
		t.Error("variants that differ in the workload alone do not share their network")
	}
}

func TestVariantsWithoutNulls(t *testing.T) {
	_, d := parseDesign(t, `
spec:
  variants:
  - name: cometbft
    patch:
      network: {platform: {type: CometBFT, cometBFT: {blockSize: 1Ki}}, members: {$patch: replace, count: 4}}
      workload: {type: Blocks, blocks: {transactionBytes: 64}}
  - {name: corda, patch: {network: {platform: {type: Corda, corda: {version: "4.3"}}}}}
`)
	network, workload := d.Networks[d.Points[0].Network].Spec, d.Points[0].Workload
	if p := network.Platform; p.Corda != nil || p.CometBFT == nil {
		t.Errorf("another type leaves the former one: %+v", p)
	}
	if m := network.Members; m.Count != 4 || m.Heap != nil {
		t.Errorf("replaced members are %+v", m)
	}
	if workload.Corda != nil || workload.Blocks == nil || workload.Load == nil {
		t.Errorf("the workload is %+v", workload)
	}
	if p := d.Networks[d.Points[1].Network].Spec.Platform; p.Corda == nil || p.Corda.Version != "4.3" || len(p.Corda.Notary.Type) == 0 {
		t.Errorf("the same type does not keep the fields: %+v", p.Corda)
	}
}

func TestAxesOfTypedFields(t *testing.T) {
	for field, values := range map[string][]v1alpha1.Text{
		"network.members.heap":                                {"2Gi", "4Gi"},
		"network.members.cores":                               {"1", "1500m"},
		"network.platform.corda.tuning.p2pCompression":        {"Disabled"},
		"network.platform.corda.version":                      {"4.3"},
		"workload.measure.window":                             {"45s"},
		"workload.corda.flow.arguments[0].value":              {"7", "8"},
		"network.platform.corda.tuning.flowThreads":           {"8"},
		"workload.load.ratePerSecond":                         {"500m", "20"},
		"network.database.engine":                             {"PostgreSQL"},
		"network.members.scheduling.nodeSelector.performance": {"high"},
	} {
		e := parseExperiment(t, "{}")
		e.Spec.Axes = []v1alpha1.Axis{{Name: "a", Field: field, Values: values}}
		d, err := NewDesign(e)
		if err != nil {
			t.Errorf("%s: %v", field, err)
		} else if len(d.Points) != len(values) {
			t.Errorf("%s: %d points", field, len(d.Points))
		}
	}
}

func TestAxisValues(t *testing.T) {
	for spec, want := range map[string]string{
		"range: {from: 10, to: 35, step: 10}":         "10 20 30",
		"range: {from: 500m, to: 1500m, step: 500m}":  "500m 1 1500m",
		"range: {from: 1Gi, to: 3Gi, step: 1Gi}":      "1Gi 2Gi 3Gi",
		"range: {from: 1000, to: 3000, step: 1000}":   "1000 2000 3000",
		"logarithmic: {from: 1, to: 1000, points: 4}": "1 10 100 1000",
		"logarithmic: {from: 1, to: 4, points: 9}":    "1 2 3 4",
		"logarithmic: {from: 16, to: 512, points: 6}": "16 32 64 128 256 512",
		"logarithmic: {from: 1, to: 100, points: 5}":  "1 3 10 32 100",
	} {
		e := parseExperiment(t, "{spec: {axes: [{name: a, field: workload.load.ratePerSecond, "+spec+"}]}}")
		axes, err := resolveAxes(e.Spec.Axes, nil)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if got := strings.Join(describeAxes(axes)[0].Values, " "); got != want {
			t.Errorf("%s makes %s, want %s", spec, got, want)
		}
	}
}

func TestNewDesignErrors(t *testing.T) {
	for spec, want := range map[string]string{
		`axes: [{name: a, field: workload.load.client, values: [1]}]`:                                                                        `spec.axes[0].field: Invalid value: "workload.load.client": cannot be "1": unknown field "workload.load.client"`,
		`axes: [{name: a, field: network.members.count, values: [5000000000]}]`:                                                              `spec.axes[0].field: Invalid value: "network.members.count": cannot be "5000000000"`,
		`axes: [{name: a, field: network.members.count, values: [few]}]`:                                                                     `spec.axes[0].field: Invalid value: "network.members.count": cannot be "few"`,
		`axes: [{name: a, field: workload.load.clients, range: {from: 1, to: 9, step: 0}}]`:                                                  `spec.axes[0].range.step: Invalid value: "0": must be above 0`,
		`axes: [{name: a, field: workload.load.clients, range: {from: 9, to: 1, step: 1}}]`:                                                  `spec.axes[0].range.from: Invalid value: "9": must not exceed to, which is 1`,
		`axes: [{name: a, field: workload.load.clients, range: {from: 1, to: 5000, step: 1}}]`:                                               `results in more than 100 values`,
		`axes: [{name: a, field: workload.load.clients, logarithmic: {from: 5, to: 5, points: 3}}]`:                                          `spec.axes[0].logarithmic.from: Invalid value: 5: must be below to, which is 5`,
		`axes: [{name: a, field: workload.load.clients, values: [1, 1]}]`:                                                                    `spec.axes[0].values[1]: Duplicate value: "1"`,
		`axes: [{name: a, field: network.members.count, values: [2]}, {name: b, field: network.members.count, values: [3]}]`:                 `spec.axes[1].field: Invalid value: "network.members.count": axis a sets network.members.count already`,
		`axes: [{name: a, field: "workload.corda.flow.arguments[3].value", values: [x]}]`:                                                    `arguments has 1 entries in the template and no index 3`,
		`variants: [{name: v, patch: {network: {platform: {corda: {version: 4.10}}}}}]`:                                                      `version must be text in quotes, not`,
		`variants: [{name: v, patch: {network: {database: {managed: {settings: {synchronous_commit: off}}}}}}]`:                              `must be text in quotes, not`,
		`variants: [{name: v, patch: {network: {latency: {regions: []}}}}]`:                                                                  `unknown field "network.latency": network.latency is now network.regions; `,
		`axes: [{name: a, field: "network.latency.regions[0].count", values: [2]}]`:                                                          `network.latency is now network.regions; `,
		`axes: [{name: a, field: workload.jtl, values: [Retain]}]`:                                                                           `workload.jtl is now workload.sampleLogRetention`,
		`variants: [{name: v, patch: {network: {members: {$patch: delete}}}}]`:                                                               `unknown field "network.members.$patch"`,
		`variants: [{name: v, patch: {network: {member: {count: 3}}}}]`:                                                                      `unknown field "network.member"`,
		`{variants: [{name: v, patch: {network: {members: {count: 3}}}}], axes: [{name: a, field: network.members.count, values: [2]}]}`:     `sets network.members.count, which axis a also sets`,
		`{repetitions: 100, axes: [{name: a, field: workload.load.clients, range: {from: 1, to: 100, step: 1}}]}`:                            `spec.repetitions: Invalid value: 100: results in 10000 runs, more than 2000`,
		`{strategy: Saturation, saturation: {from: 1, to: 9}, repetitions: 1, axes: [{name: a, field: workload.load.clients, values: [1]}]}`: `must not be the load`,
		`{strategy: Saturation, saturation: {from: 1, to: 9}, repetitions: 3}`:                                                               `spec.repetitions: Invalid value: 3: must be 1 with strategy Saturation`,
		`{strategy: Saturation, template: {workload: {load: {profile: [{name: a}]}}}}`:                                                       `spec.template.workload.load.profile: Forbidden: cannot be set with strategy Saturation, which searches the rate`,
	} {
		if !strings.HasPrefix(spec, "{") {
			spec = "{" + spec + "}"
		}
		_, err := NewDesign(parseExperiment(t, "{spec: "+spec+"}"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: refused with\n  %v, want\n  %s", spec, err, want)
		}
	}
}
