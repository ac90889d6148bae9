package cometbft_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/cometbft"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

const validBlocks = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: CometBFT, cometBFT: {}}
  members: {count: 4}
  workloads:
  - name: blocks
    type: Blocks
    blocks: {}
`

const validTransactions = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: CometBFT, cometBFT: {application: KVStore}}
  members: {count: 4}
  workloads:
  - name: transactions
    type: CometBFT
    cometBFT: {batchSize: 10}
    load: {model: Open, ratePerSecond: "200", clients: 10}
`

type networkSpec = v1alpha1.BenchmarkNetworkSpec

func quantityPtr(s string) *resource.Quantity { return new(resource.MustParse(s)) }

// onPlatform changes the platform of a spec.
func onPlatform(change func(*v1alpha1.CometBFTPlatform)) func(*networkSpec) {
	return func(s *networkSpec) { change(s.Platform.CometBFT) }
}

// refusalCases is a list of platformtest.Refusal that can be written without field names.
type refusalCases []struct {
	Name   string
	Change func(*networkSpec)
	Field  string
	Says   []string
}

func TestRefusals(t *testing.T) {
	const path = "platform.cometBFT."
	for manifest, list := range map[string]refusalCases{
		validBlocks: {
			{"no platform", func(s *networkSpec) { s.Platform.CometBFT = nil }, "platform.cometBFT", []string{"must be set when platform.type is CometBFT"}},
			{"an empty block", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.BlockSize = quantityPtr("0") }), path + "blockSize", []string{`"0"`, "from 1 to 64Mi"}},
			{"a block too large", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.BlockSize = quantityPtr("101Mi") }), path + "blockSize", []string{`"101Mi"`, "from 1 to 64Mi"}},
			{"half a byte", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.BlockSize = quantityPtr("1500m") }), path + "blockSize", []string{`"1500m"`, "whole number of bytes"}},
			{"transactions larger than the block", onPlatform(func(c *v1alpha1.CometBFTPlatform) {
				c.BlockSize, c.TransactionSize = quantityPtr("1Ki"), quantityPtr("2Ki")
			}), path + "transactionSize", []string{`"2Ki"`, "from 1 to 1Ki"}},
			{"too many transactions", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.TransactionSize = quantityPtr("10") }), path + "transactionSize",
				[]string{`"10"`, "at least 11 bytes", "100000 transactions"}},
			{"a mempool", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.Mempool = &v1alpha1.CometBFTMempool{} }), path + "mempool",
				[]string{"belongs to application KVStore"}},
			{"a rate too low", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.Gossip.Rate = quantityPtr("10") }), path + "gossip.rate", []string{`"10"`, "from 1Ki to 1Ti"}},
			{"packets too large", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.Gossip.PacketSize = quantityPtr("2Mi") }), path + "gossip.packetSize",
				[]string{`"2Mi"`, "from 64 to 1Mi"}},
			{"too many validators", func(s *networkSpec) { s.Members.Count = 201 }, "members.count", []string{"201", "at most 200"}},
			{"discovery", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.Peers.Type = v1alpha1.PeersDiscovery }), path + "peers.type",
				[]string{"Discovery", `supported values: "FullMesh", "Ring", "Random", "Sentries"`}},
			{"a degree of all validators", onPlatform(func(c *v1alpha1.CometBFTPlatform) {
				c.Peers = v1alpha1.Peers{Type: v1alpha1.PeersRandom, Degree: new(int32(4))}
			}), path + "peers.degree", []string{"4", "less than members.count (4)"}},
			{"memory too small for the connections", func(s *networkSpec) { s.Members.Count, s.Members.Memory = 200, quantityPtr("256Mi") }, "members.memory",
				[]string{`"256Mi"`, "at least 315Mi", "291Mi for the program with 199 connections"}},
			{"the power of a missing validator", onPlatform(func(c *v1alpha1.CometBFTPlatform) {
				c.Powers.Overrides = []v1alpha1.PowerOverride{{Members: []string{"member-4"}, Power: 70}}
			}), path + "powers.overrides[0].members[0]", []string{"member-4", "its members are member-0, member-1, member-2, member-3"}},
			{"too little memory", func(s *networkSpec) { s.Members.Memory = quantityPtr("200Mi") }, "members.memory", []string{`"200Mi"`, "at least 216Mi", "24 blocks of 1Mi"}},
			{"a volume too small", func(s *networkSpec) { s.Members.Storage.Size = quantityPtr("1Gi") }, "members.storage.size",
				[]string{`"1Gi"`, "at least 3536Mi", "twice keptBlocks (1000) of 1Mi"}},
			{"a heap", func(s *networkSpec) { s.Members.Heap = quantityPtr("1Gi") }, "members.heap", []string{"not run in a JVM"}},
			{"missing validator to observe", func(s *networkSpec) { s.Workloads[0].Blocks.Observe = "member-4" }, "workloads[0].blocks.observe", []string{"member-4", "member-3"}},
			{"transactions to blocks of a set size", func(s *networkSpec) {
				s.Workloads[0].Blocks, s.Workloads[0].CometBFT = nil, &v1alpha1.CometBFTWorkload{}
			}, "workloads[0].blocks", []string{"needs blocks"}},
		},
		validTransactions: {
			{"a block size", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.BlockSize = quantityPtr("1Mi") }), path + "blockSize", []string{"belongs to application Blocks"}},
			{"content", onPlatform(func(c *v1alpha1.CometBFTPlatform) { c.Content = v1alpha1.BlockContentRandom }), path + "content", []string{"belongs to application Blocks"}},
			{"too little memory", func(s *networkSpec) { s.Members.Memory = quantityPtr("512Mi") }, "members.memory", []string{`"512Mi"`, "at least 536Mi"}},
			{"a volume too small", func(s *networkSpec) { s.Members.Storage.Size = quantityPtr("1Gi") }, "members.storage.size",
				[]string{`"1Gi"`, "1536Mi, and twice the transactions of all workloads"}},
			{"blocks to observe", func(s *networkSpec) { s.Workloads[0].CometBFT = nil }, "workloads[0].cometBFT", []string{"application KVStore needs cometBFT"}},
			{"a closed loop", func(s *networkSpec) {
				s.Workloads[0].Load.Model, s.Workloads[0].Load.RatePerSecond = v1alpha1.LoadClosed, nil
			},
				"workloads[0].load.model", []string{"Closed", "Open"}},
			{"a missing member", func(s *networkSpec) { s.Workloads[0].CometBFT.Members = []string{"member-9"} }, "workloads[0].cometBFT.members[0]", []string{"member-9", "member-0"}},
			{"a contradiction", func(s *networkSpec) { s.Workloads[0].CometBFT.BatchInterval = &v1alpha1.Timeout{Duration: 1e9} }, "workloads[0].cometBFT.batchSize",
				[]string{"each of 4 members is 40 transactions a second", "ratePerSecond is 200"}},
		},
	} {
		network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(manifest))
		for _, r := range list {
			platformtest.CheckRefusal(t, cometbft.New(), network, platformtest.Refusal(r))
		}
	}
}
