package controllers_test

import (
	"strings"
	"testing"
)

// rampAndHold is the profile that the cases of TestBadProfiles make invalid.
const rampAndHold = `{model: Open, clients: 10, profile: [
      {name: up, type: Ramp, duration: 30s, ratePerSecond: 0, toRatePerSecond: 20},
      {name: top, type: Constant, duration: 30s, ratePerSecond: 20}]}
    objectives: [{metric: LatencyP95, maxLatency: 1s, scope: segment/top}]
    measure: {warmUp: 1s, window: 1m}`

// withProfile returns a valid network with the profile instead of a load and a window of 10 s.
func withProfile(network, load string) string {
	return strings.Replace(network, load+"\n    measure: {warmUp: 1s, window: 10s}", rampAndHold, 1)
}

var badCordaProfiles = []badInputCase{
	{"durations that do not add up to the window", "window: 1m", "window: 90s", []string{"workloads[0]", "measure.window must be the sum of load.profile[].duration, not 90s"}},
	{"a rate too", "clients: 10,", "clients: 10, ratePerSecond: 5,", []string{"load.ratePerSecond or load.profile, but not both"}},
	{"a closed loop", "model: Open", "model: Closed", []string{"load.profile[] has ratePerSecond with load.model Open, and clients with Closed, of type Constant, Ramp or Steps"}},
	{"clients of an open loop", "type: Constant, duration: 30s, ratePerSecond: 20", "type: Constant, duration: 30s, clients: 5", []string{"load.profile[] has ratePerSecond with load.model Open, and clients with Closed, of type Constant, Ramp or Steps"}},
	{"clients of a wave", "model: Open, clients: 10, profile: [", "model: Closed, profile: [{name: wave, type: Sine, period: 10s, duration: 30s, clients: 5, toClients: 8},", []string{"load.profile[] has ratePerSecond with load.model Open, and clients with Closed, of type Constant, Ramp or Steps"}},
	{"clients and a rate", "ratePerSecond: 20}]", "ratePerSecond: 20, clients: 5}]", []string{"load.profile[] has ratePerSecond with load.model Open, and clients with Closed, of type Constant, Ramp or Steps"}},
	{"a steady state", "window: 1m", "window: 1m, steadyState: {}", []string{"measure.steadyState cannot be set with load.profile"}},
	{"no segment", rampAndHold[strings.Index(rampAndHold, "[")+1 : strings.Index(rampAndHold, "]}")], "", []string{"load.profile", "at least 1 item"}},
	{"17 segments", "\n      {name: top", strings.Repeat("\n      {name: a, type: Constant, duration: 5s, ratePerSecond: 20},", 15) + "\n      {name: top", []string{"load.profile", "at most 16 items"}},
	{"an unknown type", "type: Constant", "type: Wave", []string{"load.profile[1].type", "Wave", "Sine"}},
	{"a name with capitals", "name: top", "name: Top", []string{"load.profile[1].name", "Top", "should match"}},
	{"parts of a second", "type: Constant, duration: 30s", "type: Constant, duration: 30.5s", []string{"load.profile[1].duration", "whole seconds"}},
	{"a ramp to nowhere", ", toRatePerSecond: 20", "", []string{"load.profile[0]", "toRatePerSecond when, and only when, type is Ramp"}},
	{"a constant to a rate", "ratePerSecond: 20}]", "ratePerSecond: 20, toRatePerSecond: 30}]", []string{"load.profile[1]", "toRatePerSecond when, and only when, type is Ramp"}},
	{"a constant without a rate", ", ratePerSecond: 20}]", "}]", []string{"load.profile[1]", "ratePerSecond must be set unless type is Replay"}},
	{"steps without steps", "type: Ramp", "type: Steps", []string{"load.profile[0]", "steps belongs to type Steps"}},
	{"one step", "type: Ramp", "type: Steps, steps: 1", []string{"load.profile[0].steps", "greater than or equal to 2"}},
	{"a spike without its hold", "type: Ramp", "type: Spike", []string{"load.profile[0]", "hold to Spike"}},
	{"a wave without its period", "type: Ramp", "type: Sine", []string{"load.profile[0]", "period to Sine"}},
	{"a period of a ramp", "type: Ramp", "type: Ramp, period: 10s", []string{"load.profile[0]", "period to Sine"}},
	{"a replay without its trace", "type: Constant, duration: 30s, ratePerSecond: 20", "type: Replay, duration: 30s", []string{"load.profile[1]", "replay to Replay"}},
	{"an empty trace", "type: Constant, duration: 30s, ratePerSecond: 20", "type: Replay, duration: 30s, replay: {csv: ''}", []string{"load.profile[1].replay.csv", "at least 3 chars"}},
	{"a rate beside a trace", "type: Constant, duration: 30s", "type: Replay, duration: 30s, replay: {csv: '0,20'}", []string{"load.profile[1]", "ratePerSecond must be set unless type is Replay"}},
	{"a trace in disorder", "type: Constant, duration: 30s, ratePerSecond: 20", `type: Replay, duration: 30s, replay: {csv: "second,rate\n0,20\n20,10\n10,5"}`,
		[]string{"workloads[0].load.profile[1].replay.csv", `"10,5"`, "line 4"}},
	{"two segments of one name", "name: top", "name: up", []string{"workloads[0].load.profile[1].name", `"up"`, "must be unique"}},
	{"the scope of no segment", "scope: segment/top", "scope: segment/down", []string{"workloads[0].objectives[0].scope", "segment/down", `"segment/up", "segment/top"`}},
	{"the scope of no kind", "scope: segment/top", "scope: top", []string{"workloads[0].objectives[0].scope", "segment|fault"}},
	{"the scope of a query", "metric: LatencyP95, maxLatency: 1s", `query: {name: queue, expression: up, max: "1"}`, []string{"workloads[0].objectives[0]", "scope belongs to metric"}},
	{"a scope without a profile", rampAndHold[:strings.Index(rampAndHold, "\n    objectives")], `{model: Open, ratePerSecond: 5}`, []string{"workloads[0].objectives[0].scope", "needs load.profile"}},
	{"two segments in a plan", "type: Corda\n    corda: {finance: {operation: Issue}}\n    load: " + rampAndHold, "type: JMeter\n    jmeter: {configMapName: plan}\n    load: " + strings.Replace(rampAndHold, "top,", "up,", 1),
		[]string{"workloads[0].load.profile[1].name", `"up"`, "must be unique"}},
}

// TestBadProfiles expects a message that names the field and the valid values, and no objects.
func TestBadProfiles(t *testing.T) {
	t.Run("Corda", func(t *testing.T) {
		expectRejections(t, withProfile(validCordaNetwork, "{clients: 4}"), badCordaProfiles)
	})
	t.Run("blocks", func(t *testing.T) {
		expectRejections(t, validCometBFTBlocks, []badInputCase{{"a profile", "measure: {warmUp: 1s, window: 10s}", "load: " + rampAndHold, []string{"workloads[0]", "load must be set with every type except Blocks"}}})
	})
	t.Run("CometBFT", func(t *testing.T) {
		expectRejections(t, withProfile(validCometBFTTransactions, `{model: Open, ratePerSecond: "200", clients: 10}`), []badInputCase{
			{"batches of a size", "batchSize: 10", "batchSize: 20", []string{"workloads[0].cometBFT.batchSize", "20", "must not be set with load.profile", "set batchInterval"}}})
	})
	t.Run("EVM", func(t *testing.T) {
		expectRejections(t, withProfile(validMalachiteEVMNetwork, `{model: Open, ratePerSecond: "800", clients: 10}`), []badInputCase{
			{"batches across seconds", "batchSize: 200", "batchInterval: 300ms", []string{"workloads[0].evm.batchInterval", "300ms", "must divide a second with load.profile, such as 200ms"}},
			{"a closed loop", "model: Open", "model: Closed", []string{"workloads[0]", "load.model must be Open"}}})
	})
}

// TestBadProfileExperiments expects a message that names the field, and no objects.
func TestBadProfileExperiments(t *testing.T) {
	load := strings.Replace(rampAndHold, "    objectives: [{metric: LatencyP95, maxLatency: 1s, scope: segment/top}]\n", "", 1)
	experiment := strings.Replace(validExperiment, "{clients: 4}\n      measure: {warmUp: 1s, window: 10s}", strings.ReplaceAll(load, "\n", "\n  "), 1)
	expectExperimentRejections(t, experiment, []badInputCase{
		{"search", "  repetitions: 2\n  order: {type: Interleaved}\n  networkRetention: Delete", "  " + saturationSpec,
			[]string{"spec.template.workload.load.profile", "cannot be set with strategy Saturation, which searches the rate"}},
		{"axis of the rate", "workload.load.clients, " + axisValues, "workload.load.ratePerSecond, values: [5]", []string{"users=5", "load.ratePerSecond or load.profile, but not both"}},
		{"axis of a duration", "workload.load.clients, " + axisValues, "'workload.load.profile[0].duration', values: [40s]", []string{"users=40s", "measure.window must be the sum of load.profile[].duration, not 1m"}},
		{"axis of a rate that the wave has not", "workload.load.clients, " + axisValues, "'workload.load.profile[1].toRatePerSecond', values: [40]", []string{"users=40", "load.profile[1]", "toRatePerSecond when, and only when"}},
		{"patch with a segment that is incomplete", "{name: new}", "{name: new, patch: {workload: {load: {profile: [{name: up, type: Spike, duration: 60s, ratePerSecond: 5, toRatePerSecond: 9}]}}}}",
			[]string{"variant=new", "load.profile[0]", "hold to Spike"}},
	})
}
