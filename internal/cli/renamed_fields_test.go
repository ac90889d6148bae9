package cli_test

import (
	"strings"
	"testing"
)

// TestRefusesRenamedFields applies manifests with fields under their old names, in the network, a workload, a run, and the template
// and a variant of an experiment.
func TestRefusesRenamedFields(t *testing.T) {
	const (
		network = "{platform: {type: Malachite, malachite: {}}, members: {count: 4}"
		blocks  = "{name: blocks, type: Blocks, blocks: {}"
	)
	for _, c := range []struct{ name, kind, spec, want string }{
		{"regions", "BenchmarkNetwork", network + ", latency: {regionsFrom: NodeZone}}", "spec.latency is now spec.regions; spec.latency.regionsFrom is now spec.regions.source"},
		{"workload", "BenchmarkNetwork", network + ", workloads: [" + blocks + ", jtl: Delete}]}", "spec.workloads.jtl is now spec.workloads.sampleLogRetention"},
		{"network", "BenchmarkNetwork", network + ", suspend: true}", "spec.suspend is now spec.pauseRuns"},
		{"run", "BenchmarkRun", "{networkName: n, networkReadyWithin: 5m, workload: " + blocks + "}}", "spec.networkReadyWithin is now spec.startTimeout"},
		{"failures", "BenchmarkExperiment", "{template: {network: " + network + "}, workload: " + blocks + "}}, failures: {failed: Stop}}",
			"spec.failures.failed is now spec.failures.onFailed"},
		{"template", "BenchmarkExperiment", "{template: {network: " + network + ", latency: {}}, workload: " + blocks + "}}}",
			"spec.template.network.latency is now spec.template.network.regions"},
		{"variant", "BenchmarkExperiment", "{template: {network: " + network + "}, workload: " + blocks + "}}, variants: [{name: a, patch: {network: {latency: {}}}}]}",
			"network.latency is now network.regions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			manifest := "{apiVersion: benchnet.dev/v1alpha1, kind: " + c.kind + ", metadata: {name: old}, spec: " + c.spec + "}"
			commands := [][]string{{"plan", "-f", "-"}, {"run", "--detach", "-f", "-"}}
			switch c.name {
			case "run":
				commands = commands[1:] // plan ignores runs.
			case "variant":
				commands = commands[:1] // The operator refuses it in its conditions.
			}
			for _, command := range commands {
				got := runPluginWithInput(t, manifest, command...)
				if got.code != 1 || !strings.Contains(got.err, c.want) {
					t.Errorf("%s ends with code %d and\n%s\nwant code 1 and\n%s", command[0], got.code, got.err, c.want)
				}
			}
		})
	}
}
