package controllers_test

import (
	"strings"
	"testing"
)

// badScheduling are mistakes in the scheduling and the pod template of a Corda network.
var badScheduling = []badInputCase{
	{"unknown field of an affinity", "count: 2", "count: 2, scheduling: {affinity: {nodeAfinity: {}}}", []string{"spec.members.scheduling.affinity", `unknown field "nodeAfinity"`}},
	{"affinity that is a list", "count: 2", "count: 2, scheduling: {affinity: []}", []string{"spec.members.scheduling.affinity", "object"}},
	{"pods of other namespaces", "count: 2", "count: 2, scheduling: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
		"[{topologyKey: kubernetes.io/os, namespaceSelector: {}, labelSelector: {}}]}}}", []string{"spec.members.scheduling.affinity.podAntiAffinity", "namespaceSelector"}},
	{"class of the cluster's own pods", "count: 2", "count: 2, scheduling: {priorityClassName: system-node-critical}",
		[]string{"spec.members.scheduling.priorityClassName", "must not begin with system-"}},
	{"name of a node", "count: 2", "count: 2, scheduling: {nodeName: a}", []string{"nodeName"}},
	{"unknown effect of a taint", "count: 2", "count: 2, scheduling: {tolerations: [{key: a, effect: Never}]}", []string{"spec.members.scheduling.tolerations[0].effect", "NoSchedule"}},
	{"too many tolerations", "count: 2", "count: 2, scheduling: {tolerations: [" + strings.Repeat("{key: a},", 17) + "]}", []string{"spec.members.scheduling.tolerations", "16"}},
	{"spread that does not exist", "count: 2", "count: 2, spread: Always", []string{"spec.members.spread", "Preferred"}},
	{"separation that does not exist", "window: 10s}", "window: 10s}\n    workers: {separation: Always}", []string{"workloads[0].workers.separation", "Preferred"}},
	{"databases in the members", "engine: PostgreSQL, topology: Shared", "engine: H2, topology: PerMember, managed: {scheduling: {}}", []string{"H2 lives inside each member", "none of managed"}},
	{"a notary that does not exist", `version: "4.10"`, `version: "4.10", notary: {type: None, scheduling: {}}`, []string{"scheduling and database need notary.type", "Single"}},
	{"too little memory for the notary's database", `version: "4.10"`, `version: "4.10", notary: {database: {memory: 64Mi}}`,
		[]string{"spec.platform.corda.notary.database", "banks-notary-pg", "memory 64Mi is too small", "at least 128Mi"}},
	{"label of a node for the notary", `version: "4.10"`, `version: "4.10", notary: {scheduling: {nodeSelector: {a: "b c"}}}`,
		[]string{"spec.platform.corda.notary.scheduling.nodeSelector", "b c"}},
	{"constraint of the workers", "window: 10s}", "window: 10s}\n    workers: {scheduling: {topologySpreadConstraints: [{topologyKey: a, whenUnsatisfiable: DoNotSchedule}]}}",
		[]string{"workloads[0].workers.scheduling.topologySpreadConstraints[0].maxSkew", "at least 1"}},
	{"label of the operator", "  database:", "  podTemplate: {metadata: {labels: {benchnet.dev/network: other}}}\n  database:",
		[]string{"spec.podTemplate.metadata.labels[benchnet.dev/network]", "reserved"}},
	{"annotation of an identity", "  database:", "  podTemplate: {metadata: {annotations: {iam.amazonaws.com/role: admin}}}\n  database:",
		[]string{"spec.podTemplate.metadata.annotations[iam.amazonaws.com/role]", "identity"}},
	{"pull Secret without a valid name", "  database:", "  imagePullSecrets: [Not_A_Name]\n  database:", []string{"spec.imagePullSecrets[0]", "Not_A_Name"}},
}

func TestBadScheduling(t *testing.T) { expectRejections(t, validCordaNetwork, badScheduling) }

func TestBadSchedulingOnSharedHosts(t *testing.T) {
	expectRejections(t, strings.Replace(validCordaNetwork, "topology: Shared", "topology: PerHost, membersPerInstance: 1", 1), []badInputCase{
		{"notary on other nodes", `version: "4.10"`, `version: "4.10", notary: {scheduling: {}}`, []string{"notary.scheduling", "PerHost", "members.scheduling"}},
		{"apart from the server", "count: 2", "count: 2, scheduling: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
			"[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {benchnet.dev/network: banks}}}]}}}",
			[]string{"spec.members.scheduling.affinity.podAntiAffinity", "PerHost"}},
	})
}

func TestImmutableScheduling(t *testing.T) {
	network := strings.NewReplacer(
		"count: 2", "count: 2, scheduling: {affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "+
			"[{weight: 7, preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}, "+
			"topologySpreadConstraints: [{maxSkew: 8, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}, overrides: [{members: [member-1], cores: 300m}]",
		`version: "4.10"`, `version: "4.10", notary: {cores: 700m, database: {cores: 900m}}`,
		"window: 10s}", "window: 10s}\n    workers: {scheduling: {affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "+
			"[{weight: 3, podAffinityTerm: {topologyKey: zone}}]}}}}",
		"  database:", "  podTemplate: {metadata: {labels: {team: a}}}\n  imagePullSecrets: [registry]\n  database:").Replace(validCordaNetwork)
	expectChanges(t, network, map[string]networkChange{
		"affinity":               {"weight: 7", "weight: 9", "spec.members cannot change"},
		"constraint":             {"maxSkew: 8", "maxSkew: 9", "spec.members cannot change"},
		"override of a member":   {"cores: 300m", "cores: 400m", "spec.members cannot change"},
		"size of the notary":     {"cores: 700m", "cores: 800m", "spec.platform cannot change"},
		"database of the notary": {"cores: 900m", "cores: 950m", "spec.platform cannot change"},
		"affinity of workers":    {"weight: 3", "weight: 4", "a workload cannot change"},
		"label":                  {"team: a", "team: b", "spec.podTemplate cannot change"},
		"pull Secret":            {"[registry]", "[other]", "spec.imagePullSecrets cannot change"},
		"nothing":                {"", "", ""},
		"something else (label)": {"{name: banks}", "{name: banks, labels: {a: b}}", ""},
	})
}
