package controllers_test

import (
	"strings"
	"testing"
)

// validEmeraldNetwork is the network that each case of TestBadEmerald makes invalid.
const validEmeraldNetwork = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: transfers}
spec:
  platform:
    type: Emerald
    emerald:
      image: x/emerald:1
      execution: {image: "x/reth:1"}
  members: {count: 4, cores: "2", memory: 4Gi}
  workloads:
  - name: transfers
    type: EVM
    evm: {batchSize: 200}
    load: {model: Open, ratePerSecond: "800", clients: 10}
    measure: {warmUp: 1s, window: 10s}
`

var badEmerald = []badInputCase{
	{"platform without its field", validEmeraldNetwork[strings.Index(validEmeraldNetwork, "    emerald:"):strings.Index(validEmeraldNetwork, "  members:")], "",
		[]string{"platform.emerald must be set"}},
	{"no image", "      image: x/emerald:1\n", "", []string{"platform.emerald.image", "Required value"}},
	{"no execution client", "      execution: {image: \"x/reth:1\"}\n", "", []string{"platform.emerald.execution", "Required value"}},
	{"an execution client without an image", `{image: "x/reth:1"}`, "{client: Geth}", []string{"platform.emerald.execution.image", "Required value"}},
	{"image with a floating tag", "x/emerald:1", "x/emerald:latest", []string{"platform.emerald.image", "tag other than latest"}},
	{"execution image without a tag", "x/reth:1", "x/reth", []string{"platform.emerald.execution.image", "tag other than latest"}},
	{"unknown client", `image: "x/reth:1"`, `image: "x/reth:1", client: Besu`, []string{"execution.client", "Besu", "Reth", "Custom"}},
	{"custom client without arguments", `image: "x/reth:1"`, `image: "x/besu:1", client: Custom`, []string{"client Custom needs command and arguments"}},
	{"arguments of Reth", `image: "x/reth:1"`, `image: "x/reth:1", arguments: ["--full"]`, []string{"Reth and Geth take flags, and no arguments"}},
	{"flag with dashes", `image: "x/reth:1"`, `image: "x/reth:1", flags: {"--full": ""}`, []string{"execution.flags", "without dashes"}},
	{"flag of the operator", `image: "x/reth:1"`, `image: "x/reth:1", flags: {http.port: "1"}`, []string{"execution.flags[http.port]", "set by the operator"}},
	{"too many validators", "count: 4", "count: 51", []string{"spec.members.count", "51", "at most 50"}},
	{"a heap", "count: 4", "count: 4, heap: 1Gi", []string{"spec.members.heap", "JVM"}},
	{"too little memory", "memory: 4Gi", "memory: 512Mi", []string{"spec.members.memory", "384Mi to the execution client", "at least 512Mi"}},
	{"block time without a unit", "image: x/emerald:1", "image: x/emerald:1\n      minBlockTime: \"1\"", []string{"minBlockTime", "must be whole milliseconds"}},
	{"inconsistent mesh bounds", "image: x/emerald:1", "image: x/emerald:1\n      gossip: {mesh: 20}", []string{"platform.emerald.gossip", "meshLow <= mesh <= meshHigh"}},
	{"level that hides blocks", "image: x/emerald:1", "image: x/emerald:1\n      logLevel: Warn", []string{"logLevel", "Warn", "Info"}},
	{"more accounts than a Secret holds", "image: x/emerald:1", "image: x/emerald:1\n      accounts: 5001", []string{"accounts", "5000"}},
	{"a database", "  workloads:", "  database: {engine: H2}\n  workloads:", []string{"spec.database", "platform Corda"}},
	{"no load", `    load: {model: Open, ratePerSecond: "800", clients: 10}` + "\n", "", []string{"load must be set"}},
	{"a closed loop", `model: Open, ratePerSecond: "800"`, "model: Closed", []string{"load.model must be Open, with load.ratePerSecond or load.profile, if type is EVM", "ratePerSecond"}},
	{"open loop without a rate", `model: Open, ratePerSecond: "800"`, "model: Open", []string{"load.ratePerSecond"}},
	{"a pace that contradicts the rate", "batchSize: 200", "batchSize: 200, batchInterval: 100ms", []string{"evm.batchSize", "8000 transactions a second", "800"}},
	{"missing member", "batchSize: 200", "members: [member-4]", []string{"evm.members[0]", "member-4", "its members are member-0, member-1, member-2, member-3"}},
	{"accounts without funds", "batchSize: 200", "accounts: 1001", []string{"evm.accounts", "1001", "platform.emerald.accounts (1000)"}},
	{"an operation of another platform", "type: EVM\n    evm: {batchSize: 200}\n    load: {model: Open, ratePerSecond: \"800\", clients: 10}", "type: Corda\n    corda: {finance: {operation: Issue}}\n    load: {clients: 10}", []string{"workloads[0].evm", "Emerald"}},
}

// TestBadEmerald expects a message that names the field and the valid values, and no objects.
func TestBadEmerald(t *testing.T) {
	expectRejections(t, validEmeraldNetwork, badEmerald)
}
