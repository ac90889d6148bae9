package controllers_test

import (
	"strings"
	"testing"
)

// killAndPause is a measurement with faults that the cases of TestBadFaults make invalid.
const killAndPause = `    measure: {warmUp: 1s, window: 2m}
    faults:
    - {name: crash, type: Kill, at: 30s, duration: 10s, target: {members: [notary], databases: [db]}}
    - {name: stop, type: Pause, at: 1m, duration: 10s, target: {members: [member-1]}}`

// withFaults returns a valid network with the faults and a window of 2 minutes instead of 10 s.
func withFaults(network string) string {
	return strings.Replace(network, "    measure: {warmUp: 1s, window: 10s}", killAndPause, 1)
}

var badCordaFaults = []badInputCase{
	{"no name", "{name: crash, ", "{", []string{"faults[0].name", "Required"}},
	{"a name with capitals", "name: crash", "name: Crash", []string{"faults[0].name", "Crash", "should match"}},
	{"two faults of one name", "name: stop", "name: crash", []string{"faults[1]", "Duplicate value", "crash"}},
	{"an unknown type", "type: Pause", "type: Freeze", []string{"faults[1].type", "Freeze", `"Kill", "Pause", "Evict", "Partition"`}},
	{"no time", "at: 30s, ", "", []string{"faults[0].at", "Required"}},
	{"parts of a second", "at: 30s", "at: 30500ms", []string{"faults[0].at", "whole seconds"}},
	{"before the baseline", "at: 30s", "at: 29s", []string{"workloads[0].faults[0].at", "29s", "at least 30s"}},
	{"a partition of a network without sidecars", "type: Pause", "type: Partition", []string{"workloads[0].faults[1].type", "Partition", "needs spec.networkFaults Enabled"}},
	{"a partition without a duration", "type: Pause, at: 1m, duration: 10s", "type: Partition, at: 1m", []string{"faults[1]", "duration must be set if type is Partition"}},
	{"a partition from an unknown member", "type: Pause, at: 1m, duration: 10s", "type: Partition, from: [bank], at: 1m, duration: 10s",
		[]string{"workloads[0].faults[1].from[0]", "bank", "member-0, member-1, notary"}},
	{"a partition without another side", "type: Pause, at: 1m, duration: 10s, target: {members: [member-1]}",
		"type: Partition, at: 1m, duration: 10s, target: {members: [member-0, member-1, notary]}", []string{"workloads[0].faults[1].target", "leaves no member on the other side"}},
	{"a pause from members", "type: Pause, ", "type: Pause, from: [member-0], ", []string{"workloads[0].faults[1].from", "belongs to types Partition and Link"}},
	{"a link of a network without sidecars", "type: Pause", "type: Link, link: {roundTrip: 40ms}", []string{"workloads[0].faults[1].type", "Link", "needs spec.networkFaults Enabled"}},
	{"a link of no strength", "type: Pause", "type: Link, link: {}", []string{"faults[1].link", "at least 1 propert"}},
	{"a link without a duration", "type: Pause, at: 1m, duration: 10s", "type: Link, link: {roundTrip: 40ms}, at: 1m", []string{"faults[1]", "duration must be set if type is Link"}},
	{"a long link", "type: Pause", "type: Link, link: {roundTrip: 11s}", []string{"faults[1].link.roundTrip", "at most 10s"}},
	{"a loss of all packets", "type: Pause", "type: Link, link: {lossPercent: 100}", []string{"workloads[0].faults[1].link.lossPercent", "100", "type Partition loses all"}},
	{"a pause with a link", "type: Pause", "type: Pause, link: {roundTrip: 40ms}", []string{"workloads[0].faults[1].link", "belongs to type Link"}},
	{"pressure without its strength", "type: Pause, ", "type: Pressure, ", []string{"workloads[0].faults[1].pressure", "must be set with type Pressure"}},
	{"pressure on nothing", "type: Pause, ", "type: Pressure, pressure: {}, ", []string{"faults[1].pressure", "at least 1 propert"}},
	{"pressure of no CPU", "type: Pause, ", "type: Pressure, pressure: {cpuPercent: 0}, ", []string{"faults[1].pressure.cpuPercent", "greater than or equal to 1"}},
	{"pressure above the CPU limit", "type: Pause, ", "type: Pressure, pressure: {cpuPercent: 101}, ", []string{"faults[1].pressure.cpuPercent", "less than or equal to 100"}},
	{"pressure that leaves little memory", "type: Pause, ", "type: Pressure, pressure: {memoryHeadroom: 32Mi}, ",
		[]string{"workloads[0].faults[1].pressure.memoryHeadroom", "32Mi", "at least 64Mi"}},
	{"an unknown scope of a kill", "type: Kill, ", "type: Kill, kill: {of: Node}, ", []string{"faults[0].kill.of", "Node", `"Process", "Container", "Pod"`}},
	{"a scope of a pause", "type: Pause, ", "type: Pause, kill: {of: Container}, ", []string{"workloads[0].faults[1].kill", "belongs to type Kill"}},
	{"a kill of a container for a time", "type: Kill, ", "type: Kill, kill: {of: Container}, ", []string{"workloads[0].faults[0].duration", "cannot be set"}},
	{"an eviction for a time", "type: Pause, ", "type: Evict, ", []string{"workloads[0].faults[1].duration", "cannot be set"}},
	{"an eviction without the right", "type: Pause, at: 1m, duration: 10s", "type: Evict, at: 1m", []string{"workloads[0].faults[1]", "set --pod-faults (faults.pods in the chart)"}},
	{"a kill of a pod without the right", "type: Kill, at: 30s, duration: 10s", "type: Kill, kill: {of: Pod}, at: 30s", []string{"workloads[0].faults[0]", "faults.pods in the chart"}},
	{"an eviction of a container", "type: Pause, at: 1m, duration: 10s, target: {members: [member-1", "type: Evict, at: 1m, target: {members: [member-1/node",
		[]string{"workloads[0].faults[1].target.members[0]", "member-1/node", "all containers of its pod"}},
	{"a container killed twice", "type: Kill, at: 30s, duration: 10s, target: {members: [notary], databases: [db]}}",
		"type: Kill, kill: {of: Container}, at: 30s, target: {members: [notary]}}\n    - {name: again, type: Kill, kill: {of: Container}, at: 50s, target: {members: [notary]}}",
		[]string{"workloads[0].faults[1].at", "50s", "fault crash on notary", "kill.of Process"}},
	{"a fill of less than nothing", "type: Pause, ", `type: FillDisk, fillDisk: {leaveFree: "-1Mi"}, `, []string{"workloads[0].faults[1].fillDisk.leaveFree", "-1Mi", "not be negative"}},
	{"a pause of a disk", "type: Pause, ", "type: Pause, fillDisk: {}, ", []string{"workloads[0].faults[1].fillDisk", "belongs to type FillDisk"}},
	{"a full disk without a duration", "type: Pause, at: 1m, duration: 10s", "type: FillDisk, at: 1m", []string{"faults[1]", "duration must be set if type is FillDisk"}},
	{"a slow member", "type: Pause, ", "type: SlowDatabase, slowDatabase: {pause: 10ms}, ", []string{"workloads[0].faults[1].target", "only databases with type SlowDatabase"}},
	{"a slow database without a pause", "type: Pause, ", "type: SlowDatabase, slowDatabase: {}, ", []string{"faults[1].slowDatabase.pause", "Required"}},
	{"a database that stands still", "type: Pause, at: 1m, duration: 10s, target: {members: [member-1]}",
		"type: SlowDatabase, slowDatabase: {pause: 1s}, at: 1m, duration: 10s, target: {databases: [db]}",
		[]string{"workloads[0].faults[1].slowDatabase.pause", "1s", "from 10ms to 900ms"}},
	{"an unknown setting of network faults", "  database:", "  networkFaults: Maybe\n  database:", []string{"spec.networkFaults", "Maybe", `"Enabled", "Disabled"`}},
	{"a pause without a duration", "at: 1m, duration: 10s", "at: 1m", []string{"faults[1]", "duration must be set if type is Pause"}},
	{"a pause of no time", "at: 1m, duration: 10s", "at: 1m, duration: 0s", []string{"workloads[0].faults[1].duration", "0s", "from 1s"}},
	{"too long", "at: 1m, duration: 10s", "at: 1m, duration: 11m", []string{"workloads[0].faults[1].duration", "11m0s", "10m0s"}},
	{"after the window", "at: 1m", "at: 1m50s", []string{"workloads[0].faults[1].at", "1m50s", "raise measure.window, 2m0s"}},
	{"no target", ", target: {members: [member-1]}", "", []string{"faults[1].target", "Required"}},
	{"an empty target", "{members: [member-1]}", "{}", []string{"faults[1].target", "at least 1 propert"}},
	{"a leader and a member", "{members: [member-1]}", "{select: Leader, members: [member-1]}", []string{"faults[1].target", "exclude members and databases"}},
	{"a share and a member", "{members: [member-1]}", "{sharePercent: 50, members: [member-1]}", []string{"faults[1].target", "exclude members and databases"}},
	{"a share of nothing", "{members: [member-1]}", "{sharePercent: 0}", []string{"faults[1].target.sharePercent", "greater than or equal to 1"}},
	{"more than all", "{members: [member-1]}", "{sharePercent: 101}", []string{"faults[1].target.sharePercent", "less than or equal to 100"}},
	{"an unknown role in the network", "{members: [member-1]}", "{role: Bank}", []string{"faults[1].target.role", "Bank", `"Member", "Notary"`}},
	{"a region of a network without regions", "{members: [member-1]}", "{region: LON}", []string{"workloads[0].faults[1].target.region", "LON", "spec.regions.items"}},
	{"two at once by a share", "at: 1m, duration: 10s, target: {members: [member-1]}", "at: 35s, duration: 10s, target: {sharePercent: 30}",
		[]string{"workloads[0].faults[1].at", "35s", "overlaps with fault crash on notary", "43s"}},
	{"a partition of all", "type: Pause, at: 1m, duration: 10s, target: {members: [member-1]}",
		"type: Partition, at: 1m, duration: 10s, target: {sharePercent: 70}", []string{"workloads[0].faults[1].target", "leaves no member on the other side"}},
	{"an unknown role", "{members: [member-1]}", "{select: Proposer}", []string{"faults[1].target.select", "Proposer", `"Leader", "Followers"`}},
	{"the leader of a single notary", "{members: [member-1]}", "{select: Leader}", []string{"workloads[0].faults[1].target.select", "Leader", "notary.type Raft"}},
	{"no members", "{members: [member-1]}", "{members: []}", []string{"faults[1].target.members", "at least 1 item"}},
	{"a member twice", "[member-1]", "[member-1, member-1]", []string{"faults[1].target.members[1]", "Duplicate value"}},
	{"an unknown member", "[member-1]", "[member-2]", []string{"workloads[0].faults[1].target.members[0]", "member-2", "member-0, member-1, notary"}},
	{"a pod's name", "[member-1]", "[banks-member-1-0]", []string{"workloads[0].faults[1].target.members[0]", "banks-member-1-0", "its members are"}},
	{"17 members", "[member-1]", "[" + strings.Repeat("member-1, ", 16) + "member-1]", []string{"faults[1].target.members", "at most 16 items"}},
	{"two at once", "at: 1m, duration: 10s, target: {members: [member-1]}", "at: 35s, duration: 10s, target: {members: [member-1, notary]}",
		[]string{"workloads[0].faults[1].at", "35s", "overlaps with fault crash on notary", "43s"}},
	{"a steady state", "window: 2m", "window: 2m, steadyState: {}", []string{"workloads[0].measure.steadyState", "cannot be set with faults"}},
	{"without observation", "  database:", "  observation: None\n  database:", []string{"workloads[0].faults", "need spec.observation Full"}},
	{"a database in the member", "engine: PostgreSQL, topology: Shared", "engine: H2", []string{"workloads[0].faults[0].target.databases", "with H2 it is part of the member"}},
	{"no common interval", "window: 2m", "window: 127s", []string{"workloads[0].faults", "2m7s", "multiple of 5s"}},
	{"the scope of no segment", "    faults:", "    objectives: [{metric: LatencyP95, maxLatency: 1s, scope: segment/crash}]\n    faults:",
		[]string{"workloads[0].objectives[0].scope", "segment/crash", `"segment/baseline", "segment/faults"`}},
	{"a time of a fault without a scope", "    faults:", "    objectives: [{metric: RecoveryTime, maxDuration: 30s}]\n    faults:", []string{"workloads[0].objectives[0].scope", "must be fault/NAME"}},
	{"a time of no fault", "    faults:", "    objectives: [{metric: RecoveryTime, maxDuration: 30s, scope: fault/none}]\n    faults:",
		[]string{"workloads[0].objectives[0].scope", "fault/none", `"fault/crash", "fault/stop"`}},
	{"a latency of a fault", "    faults:", "    objectives: [{metric: LatencyP95, maxLatency: 1s, scope: fault/crash}]\n    faults:", []string{"workloads[0].objectives[0].scope", "must be fault/NAME if, and only if"}},
	{"a time of a fault as a latency", "    faults:", "    objectives: [{metric: OutageTime, maxLatency: 1s, scope: fault/crash}]\n    faults:",
		[]string{"workloads[0].objectives[0]", "maxDuration of a time of a fault"}},
	{"an availability of a segment", "    faults:", "    objectives: [{metric: Availability, minAvailabilityPercent: 99, scope: segment/baseline}]\n    faults:",
		[]string{"workloads[0].objectives[0].scope", "must not be set with Availability"}},
	{"an availability above 100 %", "    faults:", "    objectives: [{metric: Availability, minAvailabilityPercent: 101}]\n    faults:",
		[]string{"workloads[0].objectives[0].minAvailabilityPercent", "101", "at most 100"}},
	{"an availability as a number", "    faults:", "    objectives: [{metric: Availability, maxCount: 1}]\n    faults:", []string{"workloads[0].objectives[0]", "minAvailabilityPercent to Availability"}},
	{"a latency as a duration", "    faults:", "    objectives: [{metric: LatencyP95, maxDuration: 1s}]\n    faults:", []string{"workloads[0].objectives[0]", "maxLatency of a latency"}},
}

// TestBadFaults expects a message that names the field and the valid values, and no objects.
func TestBadFaults(t *testing.T) {
	t.Run("Corda", func(t *testing.T) { expectRejections(t, withFaults(validCordaNetwork), badCordaFaults) })
	t.Run("storage", func(t *testing.T) {
		const from, evict = "type: Pause, at: 1m, duration: 10s, target: {members: [member-1]}", "type: Evict, at: 1m, target: "
		ephemeral := strings.Replace(withFaults(validCordaNetwork), "count: 2,", "count: 2, overrides: [{members: [member-1], storage: {type: Ephemeral}}],", 1)
		expectRejections(t, strings.Replace(ephemeral, "topology: Shared", "topology: Shared, managed: {storage: {type: Ephemeral}}", 1), []badInputCase{
			{"a member", from, evict + "{members: [member-0, member-1]}", []string{"workloads[0].faults[1].target", "member-1", "Ephemeral, which is lost with the pod"}},
			{"a database", from, evict + "{databases: [db]}", []string{"workloads[0].faults[1].target.databases", "Ephemeral, which is lost with the pod"}},
		})
	})
	t.Run("blocks", func(t *testing.T) {
		stop := "measure: {warmUp: 1s, window: 2m}\n    faults: [{name: stop, type: Pause, at: 30s, duration: 5s, target: "
		expectRejections(t, validCometBFTBlocks, []badInputCase{
			{"the observed member", "measure: {warmUp: 1s, window: 10s}", stop + "{members: [member-0]}}]", []string{"workloads[0].faults[0].target.members[0]", "member-0", "whose blocks are observed"}},
			{"the observed member by a share", "measure: {warmUp: 1s, window: 10s}", stop + "{sharePercent: 100}}]", []string{"workloads[0].faults[0].target", "member-0", "whose blocks are observed"}},
			{"followers", "measure: {warmUp: 1s, window: 10s}", stop + "{select: Followers}}]", []string{"workloads[0].faults[0].target.select", "Followers", "propose in turn"}},
			{"a notary", "measure: {warmUp: 1s, window: 10s}", stop + "{role: Notary}}]", []string{"workloads[0].faults[0].target.role", "Notary", "the members are member-0"}},
			{"a database", "measure: {warmUp: 1s, window: 10s}", stop + "{databases: [db]}}]", []string{"workloads[0].faults[0].target.databases", "needs a database of the network"}},
		})
	})
}

// TestBadFaultExperiments expects a message that names the field, and no objects.
func TestBadFaultExperiments(t *testing.T) {
	experiment := strings.Replace(validExperiment, "    measure: {warmUp: 1s, window: 10s}",
		"    measure: {warmUp: 1s, window: 2m}\n      faults: [{name: stop, type: Pause, at: 1m, duration: 10s, target: {members: [member-1]}}]", 1)
	expectExperimentRejections(t, validExperiment, []badInputCase{
		{"comparison of a time of no fault", "networkRetention: Delete", replaceOnce(compareSpec, "metrics: [Throughput], gates: [{metric: Throughput}]", "metrics: [RecoveryTime]"),
			[]string{"spec.compare.metrics[0]", "RecoveryTime", "needs faults"}},
		{"comparison of an availability", "networkRetention: Delete", replaceOnce(compareSpec, "metrics: [Throughput], gates: [{metric: Throughput}]", "metrics: [Availability]"),
			[]string{"spec.compare.metrics[0]", "Availability", "needs faults"}},
	})
	expectExperimentRejections(t, experiment, []badInputCase{
		{"search", "  repetitions: 2\n  order: {type: Interleaved}\n  networkRetention: Delete", "  " + saturationSpec,
			[]string{"spec.template.workload.faults", "cannot be set with strategy Saturation"}},
		{"patch without a target", "{name: new}", "{name: new, patch: {workload: {faults: [{name: stop, type: Kill, at: 60s}]}}}", []string{"variant=new", "faults[0].target"}},
		{"patch with two faults of one name", "{name: new}",
			"{name: new, patch: {workload: {faults: [{name: a, type: Kill, at: 40s, target: {members: [member-0]}}, {name: a, type: Kill, at: 60s, target: {members: [member-0]}}]}}}",
			[]string{"variant=new", "faults[1]", "Duplicate value"}},
		{"axis of an instant", "workload.load.clients, " + axisValues, "'workload.faults[0].at', values: [10s]", []string{"users=10s", "faults[0].at", "at least 30s"}},
	})
}
