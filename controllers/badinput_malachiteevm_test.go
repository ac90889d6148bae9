package controllers_test

import (
	"strings"
	"testing"
)

// validMalachiteEVMNetwork is the network that each case of TestBadMalachiteEVM makes invalid.
const validMalachiteEVMNetwork = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: executed}
spec:
  platform:
    type: MalachiteEVM
    malachiteEVM:
      execution: {}
  members: {count: 4, cores: "2", memory: 4Gi}
  workloads:
  - name: transfers
    type: EVM
    evm: {batchSize: 200}
    load: {model: Open, ratePerSecond: "800", clients: 10}
    measure: {warmUp: 1s, window: 10s}
`

var badMalachiteEVM = []badInputCase{
	{"platform without its field", "    malachiteEVM:\n      execution: {}\n", "", []string{"platform.malachiteEVM must be set"}},
	{"two platforms", "      execution: {}\n", "      execution: {}\n    malachite: {}\n", []string{"platform.malachiteEVM must be set, and no other platform"}},
	{"blocks of a size", "execution: {}", "execution: {}\n      blockSize: 1Mi", []string{"blockSize", "unknown field"}},
	{"another client", "execution: {}", "execution: {client: Reth}", []string{"client", "unknown field"}},
	{"an image with a floating tag", "execution: {}", "image: x/bench:latest", []string{"platform.malachiteEVM.image", "tag other than latest"}},
	{"an image of geth without a tag", "execution: {}", "execution: {image: x/geth}", []string{"platform.malachiteEVM.execution.image", "tag other than latest"}},
	{"a flag with dashes", "execution: {}", `execution: {flags: {"--cache": "1"}}`, []string{"execution.flags", "without dashes"}},
	{"the flag of the socket", "execution: {}", "execution: {flags: {ipcpath: a}}", []string{"execution.flags[ipcpath]", "set by the operator"}},
	{"the flag without a socket", "execution: {}", `execution: {flags: {ipcdisable: ""}}`, []string{"execution.flags[ipcdisable]", "set by the operator"}},
	{"APIs for the load", "execution: {}", "execution: {flags: {http.api: testing}}", []string{"execution.flags[http.api]", "set by the operator"}},
	{"the port of the Engine API", "execution: {}", "execution: {flags: {authrpc.addr: 0.0.0.0}}", []string{"execution.flags[authrpc.addr]", "set by the operator"}},
	{"the mode of synchronization", "execution: {}", "execution: {flags: {syncmode: snap}}", []string{"execution.flags[syncmode]", "set by the operator"}},
	{"the gas limit as a flag", "execution: {}", `execution: {flags: {miner.gaslimit: "1"}}`, []string{"miner.gaslimit", "is platform.malachiteEVM.gasLimit"}},
	{"a path as the value of a flag", "execution: {}", "execution: {flags: {txpool.journal: /etc/passwd}}", []string{"execution.flags[txpool.journal]", "no paths"}},
	{"a chain without an ID", "execution: {}", "chainId: 0", []string{"chainId", "greater than or equal to 1"}},
	{"a chain ID above 32 bits", "execution: {}", "chainId: 4294967296", []string{"chainId", "4294967295"}},
	{"a gas limit below the least", "execution: {}", "gasLimit: 20999", []string{"gasLimit", "1000000"}},
	{"a gas limit above the most", "execution: {}", "gasLimit: 9223372036854775807", []string{"gasLimit", "1e+12"}},
	{"a gas limit of 64 bits", "execution: {}", "gasLimit: 9223372036854775808", []string{"gasLimit", "less than or equal to 1e+12"}},
	{"no accounts", "execution: {}", "accounts: 0", []string{"accounts", "greater than or equal to 1"}},
	{"more accounts than a Secret holds", "execution: {}", "accounts: 5001", []string{"accounts", "5000"}},
	{"no balance", "execution: {}", "accountBalanceEther: 0", []string{"accountBalanceEther", "greater than or equal to 1"}},
	{"no time from block to block", "execution: {}", "targetBlockTime: 0s", []string{"targetBlockTime", "whole milliseconds"}},
	{"a time without a unit", "execution: {}", `targetBlockTime: "1"`, []string{"targetBlockTime", "whole milliseconds"}},
	{"a timeout of nothing", "execution: {}", "timeouts: {propose: 0s}", []string{"malachiteEVM.timeouts", "propose, prevote and precommit must be whole milliseconds"}},
	{"mesh bounds in the wrong order", "execution: {}", "gossip: {mesh: 20}", []string{"platform.malachiteEVM.gossip", "meshLow <= mesh <= meshHigh"}},
	{"an unknown gossip protocol", "execution: {}", "gossip: {protocol: Flood}", []string{"gossip.protocol", "Flood"}},
	{"the power of a missing validator", "execution: {}", "powers: {overrides: [{members: [member-9], power: 70}]}",
		[]string{"malachiteEVM.powers.overrides[0].members[0]", "member-9"}},
	{"no threads", "execution: {}", "threads: 0", []string{"threads", "greater than or equal to 1"}},
	{"an unknown log level", "execution: {}", "logLevel: Loud", []string{"logLevel", "Loud", "Debug"}},
	{"all cores for geth", "execution: {}", `execution: {cores: "2"}`, []string{"platform.malachiteEVM.execution.cores", "between 0 and the member's cores (2)"}},
	{"no cores for geth", "execution: {}", `execution: {cores: "0"}`, []string{"platform.malachiteEVM.execution.cores", "the validator gets the rest"}},
	{"too little memory", "memory: 4Gi", "memory: 512Mi", []string{"spec.members.memory", "at least 512Mi and 128Mi"}},
	{"too little memory for the validator", "execution: {}", "execution: {memory: 4000Mi}", []string{"spec.members.memory", "96Mi to the validator"}},
	{"discovery", "execution: {}", "peers: {type: Discovery}", []string{"malachiteEVM.peers.type", "Discovery", "Sentries"}},
	{"too many validators", "count: 4", "count: 51", []string{"spec.members.count", "51", "at most 50 for MalachiteEVM"}},
	{"a heap", "count: 4", "count: 4, heap: 1Gi", []string{"spec.members.heap", "JVM"}},
	{"a volume that is too small", "count: 4", "count: 4, storage: {size: 100Mi}", []string{"spec.members.storage.size", "at least 1Gi"}},
	{"a database", "  workloads:", "  database: {engine: H2}\n  workloads:", []string{"spec.database", "platform Corda"}},
	{"a closed loop", `model: Open, ratePerSecond: "800"`, "model: Closed", []string{"load.model must be Open"}},
	{"blocks to observe", "type: EVM\n    evm: {batchSize: 200}\n    load: {model: Open, ratePerSecond: \"800\", clients: 10}", "type: Blocks\n    blocks: {}",
		[]string{"workloads[0].evm", "MalachiteEVM networks support only evm workloads"}},
	{"a missing member", "batchSize: 200", "members: [member-4]", []string{"evm.members[0]", "member-4"}},
	{"accounts without funds", "batchSize: 200", "accounts: 1001", []string{"evm.accounts", "1001", "platform.malachiteEVM.accounts (1000)"}},
	{"no accounts for the load", "batchSize: 200", "accounts: 0", []string{"evm.accounts", "greater than or equal to 1"}},
	{"more gas than a transaction may have", "    evm: {batchSize: 200}", "    evm: {batchSize: 200, gasLimit: 16777217}", []string{"evm.gasLimit", "16777216"}},
	{"a mix of nothing", "batchSize: 200", "mix: []", []string{"evm.mix", "at least 1 item"}},
	{"a mix without weights", "batchSize: 200", "mix: [{kind: Transfer, weight: 0}, {kind: Mint, weight: 0}]", []string{"evm.mix", "sum of the weights"}},
	{"a kind without a weight", "batchSize: 200", "mix: [{kind: Mint}]", []string{"evm.mix[0].weight", "Required"}},
	{"a negative weight", "batchSize: 200", "mix: [{kind: Mint, weight: -1}]", []string{"evm.mix[0].weight", "greater than or equal to 0"}},
	{"an unknown kind", "batchSize: 200", "mix: [{kind: Blob, weight: 1}]", []string{"evm.mix[0].kind", "Blob", "TokenTransfer"}},
	{"too many kinds", "batchSize: 200", "mix: [" + strings.Repeat("{kind: Mint, weight: 1}, ", 17) + "]", []string{"evm.mix", "at most 16 items"}},
	{"a call with more gas than a transaction may have", "batchSize: 200", "mix: [{kind: Call, weight: 1, gas: 16777217}]", []string{"evm.mix[0].gas", "16777216"}},
	{"a call with less gas than a transaction costs", "batchSize: 200", "mix: [{kind: Call, weight: 1, gas: 21000}]", []string{"evm.mix[0].gas", "30000"}},
	{"gas of a transfer", "batchSize: 200", "mix: [{kind: Transfer, weight: 1, gas: 50000}]", []string{"evm.mix[0].gas", "only to kind Call"}},
	{"slots of a call", "batchSize: 200", "mix: [{kind: Call, weight: 1, slots: 1}]", []string{"evm.mix[0].slots", "only to kind Store"}},
	{"code of a store", "batchSize: 200", "mix: [{kind: Store, weight: 1, codeBytes: 1}]", []string{"evm.mix[0].codeBytes", "only to kind Deploy"}},
	{"recipients of a mint", "batchSize: 200", "mix: [{kind: Transfer, weight: 1}, {kind: Mint, weight: 1, recipients: Fresh}]",
		[]string{"evm.mix[1].recipients", "only to kind TokenTransfer"}},
	{"unknown recipients", "batchSize: 200", "mix: [{kind: TokenTransfer, weight: 1, recipients: All}]", []string{"evm.mix[0].recipients", "All", "Fresh"}},
	{"code that is too large", "batchSize: 200", "mix: [{kind: Deploy, weight: 1, codeBytes: 24577}]", []string{"evm.mix[0].codeBytes", "24576"}},
	{"no slots", "batchSize: 200", "mix: [{kind: Store, weight: 1, slots: 0}]", []string{"evm.mix[0].slots", "greater than or equal to 1"}},
	{"a fee below the tip", "batchSize: 200", "batchSize: 200, maxFeeGwei: 1, tipGwei: 2", []string{"evm.tipGwei", "at most maxFeeGwei (1)"}},
}

// TestBadMalachiteEVM expects a message that names the field and the valid values, and no objects.
func TestBadMalachiteEVM(t *testing.T) {
	expectRejections(t, validMalachiteEVMNetwork, badMalachiteEVM)
}
