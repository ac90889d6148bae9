package controllers_test

import (
	"testing"
)

// validCometBFTBlocks and validCometBFTTransactions are the networks that the cases of TestBadCometBFT make invalid.
const (
	validCometBFTBlocks = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: validators}
spec:
  platform: {type: CometBFT, cometBFT: {blockSize: 1Mi}}
  members: {count: 4, cores: "2", memory: 512Mi}
  workloads:
  - name: blocks
    type: Blocks
    blocks: {observe: member-0}
    measure: {warmUp: 1s, window: 10s}
`
	validCometBFTTransactions = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: validators}
spec:
  platform: {type: CometBFT, cometBFT: {application: KVStore}}
  members: {count: 4, cores: "2", memory: 1Gi}
  workloads:
  - name: transactions
    type: CometBFT
    cometBFT: {batchSize: 10}
    load: {model: Open, ratePerSecond: "200", clients: 10}
    measure: {warmUp: 1s, window: 10s}
`
)

var badCometBFTBlocks = []badInputCase{
	{"transactions beside blocks", "blocks: {observe: member-0}", "blocks: {observe: member-0}\n    cometBFT: {}",
		[]string{"blocks must be set, and no other operations, if type is Blocks"}},
	{"platform without its field", "{type: CometBFT, cometBFT: {blockSize: 1Mi}}", "{type: CometBFT}", []string{"platform.cometBFT must be set, and no other platform"}},
	{"two platforms", "cometBFT: {blockSize: 1Mi}", "cometBFT: {blockSize: 1Mi}, malachite: {}", []string{"platform.cometBFT must be set, and no other platform"}},
	{"an empty block", "blockSize: 1Mi", "blockSize: 0", []string{"platform.cometBFT.blockSize", "from 1 to 64Mi"}},
	{"a block too large", "blockSize: 1Mi", "blockSize: 101Mi", []string{"platform.cometBFT.blockSize", "101Mi", "from 1 to 64Mi"}},
	{"one and a half bytes", "blockSize: 1Mi", "blockSize: \"1.5\"", []string{"platform.cometBFT.blockSize", "whole number of bytes"}},
	{"transactions larger than the block", "blockSize: 1Mi", "blockSize: 1Ki, transactionSize: 2Ki", []string{"cometBFT.transactionSize", "2Ki", "from 1 to 1Ki"}},
	{"transactions above the most", "blockSize: 1Mi", "blockSize: 8Mi, transactionSize: 5Mi", []string{"cometBFT.transactionSize", "5Mi", "from 1 to 1Mi"}},
	{"too many transactions", "blockSize: 1Mi", "transactionSize: 1", []string{"cometBFT.transactionSize", "at most 100000 transactions"}},
	{"an unknown application", "blockSize: 1Mi", "application: Bank", []string{"cometBFT.application", "Bank", "KVStore"}},
	{"an unknown tuning", "blockSize: 1Mi", "tuning: Faster", []string{"cometBFT.tuning", "Faster", "Fast"}},
	{"unknown content", "blockSize: 1Mi", "content: Zeros", []string{"cometBFT.content", "Zeros", "Random"}},
	{"no pause of gossip", "blockSize: 1Mi", "gossip: {sleep: 0s}", []string{"gossip.sleep", "must be whole milliseconds from 1ms to 10m"}},
	{"no rate", "blockSize: 1Mi", "gossip: {rate: 0}", []string{"gossip.rate", "from 1Ki to 1Ti"}},
	{"packets too large", "blockSize: 1Mi", "gossip: {packetSize: 2Mi}", []string{"gossip.packetSize", "from 64 to 1Mi"}},
	{"a mempool without clients", "blockSize: 1Mi", "mempool: {size: 10}", []string{"cometBFT.mempool", "belongs to application KVStore"}},
	{"a timeout without a unit", "blockSize: 1Mi", `timeouts: {propose: "3"}`, []string{"cometBFT.timeouts", "propose, prevote and precommit must be whole milliseconds from 1ms to 10m"}},
	{"a negative pause", "blockSize: 1Mi", "timeouts: {commit: -1s}", []string{"timeouts.commit"}},
	{"a timeout of Malachite", "blockSize: 1Mi", "timeouts: {rebroadcast: 1s}", []string{"rebroadcast"}},
	{"no power", "blockSize: 1Mi", "powers: {overrides: [{members: [member-0], power: 0}]}", []string{"cometBFT.powers.overrides[0].power", "greater than or equal to 1"}},
	{"the power of a missing validator", "blockSize: 1Mi", "powers: {overrides: [{members: [member-9], power: 70}]}", []string{"cometBFT.powers.overrides[0].members[0]", "member-9"}},
	{"few kept blocks", "blockSize: 1Mi", "keptBlocks: 9", []string{"cometBFT.keptBlocks", "greater than or equal to 10"}},
	{"no threads", "blockSize: 1Mi", "threads: 0", []string{"cometBFT.threads", "greater than or equal to 1"}},
	{"an image with a floating tag", "blockSize: 1Mi", "image: x/cometbft", []string{"platform.cometBFT.image", "tag other than latest"}},
	{"too many validators", "count: 4", "count: 201", []string{"spec.members.count", "201", "at most 200"}},
	{"more validators than the API has", "count: 4", "count: 1001", []string{"spec.members.count", "1000"}},
	{"discovery", "blockSize: 1Mi", "peers: {type: Discovery}", []string{"cometBFT.peers.type", "Discovery", "Sentries"}},
	{"a degree of all validators", "blockSize: 1Mi", "peers: {type: Random, degree: 4}", []string{"cometBFT.peers.degree", "less than members.count (4)"}},
	{"a degree above the most", "blockSize: 1Mi", "peers: {type: Ring, degree: 33}", []string{"cometBFT.peers.degree", "less than or equal to 32"}},
	{"too little memory", "memory: 512Mi", "memory: 200Mi", []string{"spec.members.memory", "200Mi", "at least 216Mi"}},
	{"a heap", "count: 4", "count: 4, heap: 1Gi", []string{"spec.members.heap", "not run in a JVM"}},
	{"a database", "  workloads:", "  database: {engine: H2}\n  workloads:", []string{"spec.database", "platform Corda"}},
	{"a load", "blocks: {observe: member-0}", "blocks: {observe: member-0}\n    load: {clients: 4}", []string{"workloads[0]", "load must be set with every type except Blocks"}},
	{"a missing validator", "observe: member-0", "observe: member-4", []string{"workloads[0].blocks.observe", "member-4", "member-0, member-1, member-2, member-3"}},
	{"transactions to blocks of a set size", "type: Blocks\n    blocks: {observe: member-0}", "type: CometBFT\n    cometBFT: {}\n    load: {model: Open, ratePerSecond: \"10\", clients: 1}",
		[]string{"workloads[0].blocks", "needs blocks"}},
}

var badCometBFTTransactions = []badInputCase{
	{"a block size", "application: KVStore", "application: KVStore, blockSize: 1Mi", []string{"cometBFT.blockSize", "belongs to application Blocks"}},
	{"content", "application: KVStore", "application: KVStore, content: Random", []string{"cometBFT.content", "belongs to application Blocks"}},
	{"an empty mempool", "application: KVStore", "application: KVStore, mempool: {size: 0}", []string{"mempool.size", "greater than or equal to 1"}},
	{"a switch that is a boolean", "application: KVStore", "application: KVStore, mempool: {recheck: false}", []string{"mempool.recheck"}},
	{"too little memory", "memory: 1Gi", "memory: 512Mi", []string{"spec.members.memory", "512Mi", "at least 536Mi"}},
	{"a transaction without room for its payload", "batchSize: 10", "transactionBytes: 100", []string{"cometBFT.transactionBytes", "greater than or equal to 132"}},
	{"an odd size", "batchSize: 10", "transactionBytes: 201", []string{"cometBFT.transactionBytes", "multiple of 2"}},
	{"a transaction too large", "batchSize: 10", "transactionBytes: 2097152", []string{"cometBFT.transactionBytes", "less than or equal to 1048576"}},
	{"an unknown method", "batchSize: 10", "method: Commit", []string{"cometBFT.method", "Commit", "Async"}},
	{"a closed loop", "{model: Open, ratePerSecond: \"200\", clients: 10}", "{model: Closed, clients: 10}", []string{"workloads[0]", "load.model must be Open"}},
	{"no load", "    load: {model: Open, ratePerSecond: \"200\", clients: 10}\n", "", []string{"workloads[0]", "load must be set with every type except Blocks"}},
	{"a missing member", "batchSize: 10", "members: [member-9]", []string{"workloads[0].cometBFT.members", "member-9", "member-0"}},
	{"batches that contradict the rate", "batchSize: 10", "batchSize: 10, batchInterval: 1s", []string{"workloads[0].cometBFT.batchSize", "40 transactions a second", "ratePerSecond is 200"}},
	{"blocks to observe", "type: CometBFT\n    cometBFT: {batchSize: 10}\n    load: {model: Open, ratePerSecond: \"200\", clients: 10}", "type: Blocks\n    blocks: {}",
		[]string{"workloads[0].cometBFT", "application KVStore needs cometBFT"}},
}

// TestBadCometBFT expects a message that names the field and the valid values, and no objects.
func TestBadCometBFT(t *testing.T) {
	t.Run("blocks", func(t *testing.T) { expectRejections(t, validCometBFTBlocks, badCometBFTBlocks) })
	t.Run("transactions", func(t *testing.T) { expectRejections(t, validCometBFTTransactions, badCometBFTTransactions) })
}
