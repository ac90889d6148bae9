package v1alpha1

import (
	"regexp"
	"slices"
	"strings"
)

// renamedField is a field that was renamed or moved before the first release. Its paths have no indices. The old one begins with what
// has the field: spec (of any kind), network (the definition of a network) or workload. So does the current one, unless it moved out.
type renamedField struct {
	old, current string
	// retyped means that the old path is now a structure.
	retyped bool
}

// renamedFields are the renamed fields, parents before children. CHANGELOG.md has the same table.
var renamedFields = []renamedField{
	{"network.latency", "network.regions", false},
	{"network.latency.regionsFrom", "network.regions.source", false},
	{"network.latency.regions", "network.regions.items", false},
	{"network.members.overrides.version", "network.platform.corda.overrides.version", false},
	{"network.members.overrides.image", "network.platform.corda.overrides.image", false},
	{"network.database.version", "network.database.managed.version", false},
	{"network.database.image", "network.database.managed.image", false},
	{"network.database.cores", "network.database.managed.cores", false},
	{"network.database.memory", "network.database.managed.memory", false},
	{"network.database.settings", "network.database.managed.settings", false},
	{"network.database.storage", "network.database.managed.storage", false},
	{"network.database.scheduling", "network.database.managed.scheduling", false},
	{"network.database.external.host", "network.database.external.servers[].host", false},
	{"network.database.external.port", "network.database.external.servers[].port", false},
	{"network.database.external.sslMode", "network.database.external.servers[].sslMode", false},
	{"network.database.external.adminSecret", "network.database.external.servers[].adminSecret", false},
	{"network.platform.malachite.peers", "network.platform.malachite.peers.type", true},
	{"workload.corda.flow", "workload.corda.finance.operation or flow.class", true},
	{"workload.corda.identities", "workload.corda.finance.identities", false},
	{"workload.corda.amount", "workload.corda.finance.amount", false},
	{"workload.corda.currency", "workload.corda.finance.currency", false},
	{"workload.corda.arguments", "workload.corda.flow.arguments", false},
	{"workload.corda.data", "workload.corda.flow.data", false},
	{"workload.corda.seed", "workload.corda.flow.seed", false},
	{"workload.corda.setUp", "workload.corda.flow.setUp", false},
	{"workload.malachite", "workload.blocks, with type Blocks", false},
	{"workload.queryObjectives", "workload.objectives[].query", false},
	{"workload.jtl", "workload.sampleLogRetention", false},
	{"workload.upload", "spec.delivery.upload, or spec.delivery.runs.upload of an experiment", false},
	{"workload.webhook", "spec.delivery.webhook, or spec.delivery.runs.webhook of an experiment", false},
	{"spec.webhook", "spec.delivery.webhook", false},
	{"spec.saturation.serviceLevel", "spec.saturation.objectives", false},
	{"spec.saturation.serviceLevel.percentile", "spec.saturation.objectives[].metric", false},
	{"spec.saturation.serviceLevel.latency", "spec.saturation.objectives[].maxLatency", false},
	{"spec.saturation.serviceLevel.maxErrorPercent", "spec.saturation.objectives[].maxErrorPercent", false},
	{"spec.priority", "the label kueue.x-k8s.io/priority-class", false},
	{"spec.suspend", "spec.pauseRuns", false},
	{"spec.resultPolicy", "spec.resultRetention", false},
	{"spec.networks", "spec.networkRetention", false},
	{"spec.networkReadyWithin", "spec.startTimeout", false},
	{"spec.failures.networkReadyWithin", "spec.failures.startTimeout", false},
	{"spec.failures.failed", "spec.failures.onFailed", false},
	{"spec.failures.invalid", "spec.failures.onInvalid", false},
}

// fieldOwners are the paths of what has a renamed field, in manifests and in the changes of experiments.
var fieldOwners = map[string][]string{
	"network":  {"spec", "spec.template.network", "network"},
	"workload": {"spec.workloads", "spec.workload", "spec.template.workload", "workload"},
	"spec":     {"spec"},
}

var (
	pathIndex = regexp.MustCompile(`\[[^]]*]`)
	// refusedField matches the paths of fields in errors of strict decoders and of server-side apply.
	refusedField = regexp.MustCompile(`unknown field "([^"]+)"|\.(spec\.\S+): (?:field not declared in schema|expected \w+, got)`)
)

// DescribeRenamedFields returns the present names of renamed fields that an error about unknown fields contains, or "".
func DescribeRenamedFields(message string) string {
	var all []string
	for _, found := range refusedField.FindAllStringSubmatch(message, -1) {
		if described := DescribeRenamedField(found[1] + found[2]); described != "" && !slices.Contains(all, described) {
			all = append(all, described)
		}
	}
	return strings.Join(all, "; ")
}

// DescribeRenamedField returns the present name of the renamed field at a path or above it, and of those below it. It returns "" if the
// path has none.
func DescribeRenamedField(path string) string {
	path = pathIndex.ReplaceAllString(path, "")
	var all []string
	for _, f := range renamedFields {
		owner, rest, _ := strings.Cut(f.old, ".")
		for _, at := range fieldOwners[owner] {
			old := at + "." + rest
			if path == old || !f.retyped && strings.HasPrefix(path, old+".") || len(all) > 0 && strings.HasPrefix(old, path+".") {
				current := f.current
				if below, stayed := strings.CutPrefix(f.current, owner+"."); stayed {
					current = at + "." + below
				}
				all = append(all, old+" is now "+current)
			}
		}
	}
	return strings.Join(all, "; ")
}
