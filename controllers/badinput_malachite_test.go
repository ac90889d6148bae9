package controllers_test

import (
	"testing"
)

// validMalachiteNetwork is the network that each case of TestBadMalachite makes invalid.
const validMalachiteNetwork = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: validators}
spec:
  platform: {type: Malachite, malachite: {blockSize: 1Mi}}
  members: {count: 4, cores: "2", memory: 512Mi}
  workloads:
  - name: blocks
    type: Blocks
    blocks: {observe: member-0}
    measure: {warmUp: 1s, window: 10s}
`

var badMalachite = []badInputCase{
	{"platform without its field", "{type: Malachite, malachite: {blockSize: 1Mi}}", "{type: Malachite}", []string{"platform.malachite must be set"}},
	{"block too large", "blockSize: 1Mi", "blockSize: 1Gi", []string{"spec.platform.malachite.blockSize", "1Gi", "from 1 to 64Mi"}},
	{"block size that is not a quantity", "blockSize: 1Mi", "blockSize: large", []string{"spec.platform.malachite.blockSize"}},
	{"too many validators", "count: 4", "count: 1001", []string{"spec.members.count", "1000"}},
	{"too many for a full mesh", "count: 4", "count: 101", []string{"spec.members.count", "101", "at most 100", "peers.type FullMesh"}},
	{"a heap", "count: 4", "count: 4, heap: 1Gi", []string{"spec.members.heap", "not run in a JVM", "members.memory"}},
	{"too little memory", "memory: 512Mi", "memory: 100Mi", []string{"spec.members.memory", "100Mi", "at least 176Mi"}},
	{"a database", "  workloads:", "  database: {engine: H2}\n  workloads:", []string{"spec.database", "platform Corda"}},
	{"unknown payload", "blockSize: 1Mi", "payload: PartsOnly", []string{"spec.platform.malachite.payload", "PartsOnly", "ProposalAndParts"}},
	{"timeout without a unit", "blockSize: 1Mi", `timeouts: {propose: "3"}`, []string{"malachite.timeouts", "propose, prevote and precommit must be whole milliseconds from 1ms to 10m"}},
	{"image with a floating tag", "blockSize: 1Mi", "image: x/malachite", []string{"platform.malachite.image", "tag other than latest"}},
	{"inconsistent mesh bounds", "blockSize: 1Mi", "gossip: {mesh: 20}", []string{"platform.malachite.gossip", "meshLow <= mesh <= meshHigh"}},
	{"discovery in a full mesh", "blockSize: 1Mi", "discovery: {bootstrapPeers: 1}", []string{"platform.malachite.discovery", "peers.type Discovery"}},
	{"the peers of an old manifest", "blockSize: 1Mi", "peers: FullMesh", []string{"spec.platform.malachite.peers", "must be of type object"}},
	{"an unknown graph", "blockSize: 1Mi", "peers: {type: Star}", []string{"malachite.peers.type", "Star", "Sentries"}},
	{"a ring without peers", "blockSize: 1Mi", "peers: {type: Ring, degree: 0}", []string{"malachite.peers.degree", "greater than or equal to 1"}},
	{"a ring of a full mesh", "blockSize: 1Mi", "peers: {type: Ring, degree: 4}", []string{"malachite.peers.degree", "4", "less than members.count (4)"}},
	{"a degree of a full mesh", "blockSize: 1Mi", "peers: {degree: 2}", []string{"malachite.peers.degree", "belongs to type Ring or Random", "FullMesh"}},
	{"a seed of a ring", "blockSize: 1Mi", "peers: {type: Ring, seed: 2}", []string{"malachite.peers.seed", "belongs to type Random", "Ring"}},
	{"only sentries", "blockSize: 1Mi", "peers: {type: Sentries, sentries: 4}", []string{"malachite.peers.sentries", "less than members.count (4)"}},
	{"a ring with sentries", "blockSize: 1Mi", "peers: {type: Ring, sentries: 2}", []string{"malachite.peers.sentries", "belongs to type Sentries", "Ring"}},
	{"messages too small", "blockSize: 1Mi", "gossip: {maxMessageSize: 1Ki}", []string{"gossip.maxMessageSize", "1Ki", "at least 320Ki"}},
	{"an unknown distribution of powers", "blockSize: 1Mi", "powers: {distribution: Uniform}", []string{"malachite.powers.distribution", "Uniform", "Zipf"}},
	{"no power", "blockSize: 1Mi", "powers: {overrides: [{members: [member-0], power: 0}]}", []string{"powers.overrides[0].power", "greater than or equal to 1"}},
	{"a power above the most", "blockSize: 1Mi", "powers: {overrides: [{members: [member-0], power: 1152921504606846976}]}", []string{"powers.overrides[0].power", "1000"}},
	{"powers without members", "blockSize: 1Mi", "powers: {overrides: [{members: [], power: 1}]}", []string{"powers.overrides[0].members", "at least 1 items"}},
	{"the power of a missing validator", "blockSize: 1Mi", "powers: {overrides: [{members: [member-4], power: 70}]}",
		[]string{"malachite.powers.overrides[0].members[0]", "member-4", "member-0, member-1, member-2, member-3"}},
	{"two powers of a validator", "blockSize: 1Mi", "powers: {overrides: [{members: [member-1], power: 70}, {members: [member-1], power: 5}]}",
		[]string{"malachite.powers.overrides[1].members[0]", "overrides[0] names the member too"}},
	{"a load", "blocks: {observe: member-0}", "blocks: {observe: member-0}\n    load: {clients: 4}", []string{"workloads[0]", "load must be set with every type except Blocks"}},
	{"an operation of another platform", "type: Blocks\n    blocks: {observe: member-0}", "type: Corda\n    corda: {finance: {operation: Issue}}\n    load: {clients: 4}", []string{"workloads[0].blocks", "needs blocks"}},
	{"missing validator", "observe: member-0", "observe: member-4", []string{"workloads[0].blocks.observe", "member-4", "member-0, member-1, member-2, member-3"}},
	{"several observers", "observe: member-0}", "observe: member-0}\n    workers: {count: 2}", []string{"workloads[0].workers.count", "2", "must be 1"}},
	{"transactions of zero bytes", "observe: member-0", "transactionBytes: 0", []string{"blocks.transactionBytes", "greater than or equal to 1"}},
}

// TestBadMalachite expects a message that names the field and the valid values, and no objects.
func TestBadMalachite(t *testing.T) {
	expectRejections(t, validMalachiteNetwork, badMalachite)
}
