package v1alpha1

import (
	"os"
	"strings"
	"testing"
)

func TestDescribeRenamedFields(t *testing.T) {
	for _, c := range []struct{ name, message, want string }{
		{"server-side apply", `failed to create typed patch object (lab/banks; benchnet.dev/v1alpha1, Kind=BenchmarkNetwork): .spec.latency: field not declared in schema`,
			"spec.latency is now spec.regions; spec.latency.regionsFrom is now spec.regions.source; spec.latency.regions is now spec.regions.items"},
		{"entry of a list", `.spec.workloads[name="issue"].jtl: field not declared in schema`, "spec.workloads.jtl is now spec.workloads.sampleLogRetention"},
		{"several", "errors:\n  .spec.suspend: field not declared in schema\n  .spec.resultPolicy: field not declared in schema",
			"spec.suspend is now spec.pauseRuns; spec.resultPolicy is now spec.resultRetention"},
		{"template of an experiment", `.spec.template.workload.jtl: field not declared in schema`,
			"spec.template.workload.jtl is now spec.template.workload.sampleLogRetention"},
		{"strict decoding", `strict decoding error: unknown field "spec.networkReadyWithin"`, "spec.networkReadyWithin is now spec.startTimeout"},
		{"change of a variant", `unknown field "network.latency"`,
			"network.latency is now network.regions; network.latency.regionsFrom is now network.regions.source; network.latency.regions is now network.regions.items"},
		{"nested field", `unknown field "spec.failures.failed"`, "spec.failures.failed is now spec.failures.onFailed"},
		{"entry of a moved list", `.spec.members.overrides[0].version: field not declared in schema`,
			"spec.members.overrides.version is now spec.platform.corda.overrides.version"},
		{"field that is a structure now", `.spec.workloads[name="issue"].corda.flow: expected map, got &{Issue}`,
			"spec.workloads.corda.flow is now spec.workloads.corda.finance.operation or flow.class"},
		{"type of a graph", `.spec.platform.malachite.peers: expected map, got &{FullMesh}`,
			"spec.platform.malachite.peers is now spec.platform.malachite.peers.type"},
		{"field of a graph", `unknown field "network.platform.malachite.peers.degrees"`, ""},
		{"unknown field of that structure", `unknown field "workload.corda.flow.amount"`, ""},
		{"field of the project's servers", `.spec.template.network.database.settings: field not declared in schema`,
			"spec.template.network.database.settings is now spec.template.network.database.managed.settings"},
		{"field of an external server", `unknown field "spec.database.external.host"`,
			"spec.database.external.host is now spec.database.external.servers[].host"},
		{"service level of a search", `.spec.saturation.serviceLevel: field not declared in schema`, "spec.saturation.serviceLevel is now spec.saturation.objectives; " +
			"spec.saturation.serviceLevel.percentile is now spec.saturation.objectives[].metric; spec.saturation.serviceLevel.latency is now " +
			"spec.saturation.objectives[].maxLatency; spec.saturation.serviceLevel.maxErrorPercent is now spec.saturation.objectives[].maxErrorPercent"},
		{"upload of a workload", `.spec.workloads[name="issue"].upload: field not declared in schema`,
			"spec.workloads.upload is now spec.delivery.upload, or spec.delivery.runs.upload of an experiment"},
		{"webhook of an experiment", `unknown field "spec.webhook"`, "spec.webhook is now spec.delivery.webhook"},
		{"list of queries", `unknown field "workload.queryObjectives"`, "workload.queryObjectives is now workload.objectives[].query"},
		{"misspelt field", `unknown field "spec.members.latency"`, ""},
		{"unknown field with such a beginning", `unknown field "spec.suspended"`, ""},
		{"invalid value", `spec.saturation.serviceLevel.latency: Invalid value: "1": must be above 0`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := DescribeRenamedFields(c.message); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestChangelogListsRenamedFields checks the table of the changelog.
func TestChangelogListsRenamedFields(t *testing.T) {
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, f := range renamedFields {
		want.WriteString("| `" + f.old + "` | `" + f.current + "` |\n")
	}
	_, table, _ := strings.Cut(string(changelog), "| old field | new field |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if got := strings.TrimSuffix(table, "\n") + "\n"; got != want.String() {
		t.Errorf("CHANGELOG.md has the renamed fields\n%swant\n%s", got, &want)
	}
}
