package malachite_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

const validManifest = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: Malachite, malachite: {discovery: {}, peers: {type: Discovery}}}
  members: {count: 4}
  workloads:
  - name: blocks
    type: Blocks
    blocks: {}
`

type networkSpec = v1alpha1.BenchmarkNetworkSpec

func quantityPtr(s string) *resource.Quantity {
	q := resource.MustParse(s)
	return &q
}

// withPlatform returns a change of the platform's part of a spec.
func withPlatform(change func(*v1alpha1.MalachitePlatform)) func(*networkSpec) {
	return func(s *networkSpec) { change(s.Platform.Malachite) }
}

func withPeers(p v1alpha1.Peers) func(*networkSpec) {
	return withPlatform(func(m *v1alpha1.MalachitePlatform) { m.Peers = p })
}

func withWorkload(change func(*v1alpha1.Workload)) func(*networkSpec) {
	return func(s *networkSpec) { change(&s.Workloads[0].Workload) }
}

// refusalCases is a list of platformtest.Refusal that can be written without field names.
type refusalCases []struct {
	Name   string
	Change func(*v1alpha1.BenchmarkNetworkSpec)
	Field  string
	Says   []string
}

func TestRefuses(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	list := refusalCases{
		{"no block", withPlatform(func(m *v1alpha1.MalachitePlatform) { m.BlockSize = *quantityPtr("0") }),
			"platform.malachite.blockSize", []string{`"0"`, "from 1 to 64Mi"}},
		{"a block above the application's limit", withPlatform(func(m *v1alpha1.MalachitePlatform) { m.BlockSize = *quantityPtr("65Mi") }),
			"platform.malachite.blockSize", []string{`"65Mi"`, "from 1 to 64Mi"}},
		{"half a byte", withPlatform(func(m *v1alpha1.MalachitePlatform) { m.BlockSize = *quantityPtr("1500m") }),
			"platform.malachite.blockSize", []string{"1500m", "whole number of bytes"}},
		{"parts too small", withPlatform(func(m *v1alpha1.MalachitePlatform) { m.PartSize = *quantityPtr("100") }),
			"platform.malachite.partSize", []string{`"100"`, "from 256 to 64Mi"}},
		{"messages too small for a part", withPlatform(func(m *v1alpha1.MalachitePlatform) { m.Gossip.MaxMessageSize = quantityPtr("128Ki") }),
			"platform.malachite.gossip.maxMessageSize", []string{`"128Ki"`, "at least 320Ki", "a part of 128Ki, and 192Ki of overhead"}},
		{"messages too small for a block", withPlatform(func(m *v1alpha1.MalachitePlatform) {
			m.Gossip.MaxMessageSize, m.Payload = quantityPtr("1Mi"), v1alpha1.MalachiteProposalOnly
		}), "platform.malachite.gossip.maxMessageSize", []string{"at least 1216Ki", "with payload ProposalOnly a block of 1Mi"}},
		{"responses too small for a block", withPlatform(func(m *v1alpha1.MalachitePlatform) { m.Gossip.MaxResponseSize = quantityPtr("1Mi") }),
			"platform.malachite.gossip.maxResponseSize", []string{"at least 1216Ki", "a block of 1Mi, and 192Ki of overhead"}},
		{"more bootstrap peers than others", withPlatform(func(m *v1alpha1.MalachitePlatform) { m.Discovery.BootstrapPeers = 4 }),
			"platform.malachite.discovery.bootstrapPeers", []string{"4", "less than members.count (4)"}},
		{"fewer inbound than outbound peers", withPlatform(func(m *v1alpha1.MalachitePlatform) { m.Discovery.InboundPeers = 3 }),
			"platform.malachite.discovery.inboundPeers", []string{"3", "at least outboundPeers (50)"}},
		{"a degree of all validators", withPeers(v1alpha1.Peers{Type: v1alpha1.PeersRing, Degree: new(int32(4))}), "platform.malachite.peers.degree",
			[]string{"4", "less than members.count (4)"}},
		{"a degree with discovery", withPeers(v1alpha1.Peers{Type: v1alpha1.PeersDiscovery, Degree: new(int32(2))}), "platform.malachite.peers.degree",
			[]string{"belongs to type Ring or Random, but type is Discovery"}},
		{"a seed of a ring", withPeers(v1alpha1.Peers{Type: v1alpha1.PeersRing, Seed: new(int64(2))}), "platform.malachite.peers.seed",
			[]string{"belongs to type Random, but type is Ring"}},
		{"only sentries", withPeers(v1alpha1.Peers{Type: v1alpha1.PeersSentries, Sentries: new(int32(4))}), "platform.malachite.peers.sentries",
			[]string{"4", "less than members.count (4)"}},
		{"sentries in a random graph", withPeers(v1alpha1.Peers{Type: v1alpha1.PeersRandom, Sentries: new(int32(2))}), "platform.malachite.peers.sentries",
			[]string{"belongs to type Sentries, but type is Random"}},
		{"memory too small for the connections of a sentry", func(s *networkSpec) {
			s.Members.Count, s.Members.Memory = 1000, quantityPtr("512Mi")
			s.Platform.Malachite.Peers = v1alpha1.Peers{Type: v1alpha1.PeersSentries, Sentries: new(int32(1))}
		}, "members.memory", []string{`"512Mi"`, "at least 1075Mi", "1059Mi for the program with 999 connections"}},
		{"the power of a missing validator", withPlatform(func(m *v1alpha1.MalachitePlatform) {
			m.Powers.Overrides = []v1alpha1.PowerOverride{{Members: []string{"member-4"}, Power: 70}}
		}), "platform.malachite.powers.overrides[0].members[0]", []string{"member-4", "its members are member-0, member-1, member-2, member-3"}},
		{"two powers of a validator", withPlatform(func(m *v1alpha1.MalachitePlatform) {
			m.Powers.Overrides = []v1alpha1.PowerOverride{{Members: []string{"member-1"}, Power: 70}, {Members: []string{"member-0", "member-1"}, Power: 5}}
		}), "platform.malachite.powers.overrides[1].members[1]", []string{"must be in one override only: overrides[0] names the member too"}},
		{"a heap", func(s *networkSpec) { s.Members.Heap = quantityPtr("1Gi") }, "members.heap", []string{"not run in a JVM", "set members.memory"}},
		{"no cores", func(s *networkSpec) { s.Members.Cores = quantityPtr("0") }, "members.cores", []string{"greater than 0"}},
		{"memory too small for the blocks", func(s *networkSpec) { s.Members.Memory = quantityPtr("64Mi") }, "members.memory",
			[]string{`"64Mi"`, "at least 176Mi", "160Mi for the program with 3 connections, and 16 blocks of 1Mi"}},
		{"a volume too small for the kept blocks", func(s *networkSpec) { s.Members.Storage.Size = quantityPtr("1Gi") }, "members.storage.size",
			[]string{`"1Gi"`, "at least 2512Mi", "twice keptBlocks (1000) of 1Mi"}},
		{"missing validator to observe", withWorkload(func(w *v1alpha1.Workload) { w.Blocks.Observe = "member-4" }), "workloads[0].blocks.observe",
			[]string{"member-4", "its members are member-0, member-1, member-2, member-3"}},
		{"several observers", withWorkload(func(w *v1alpha1.Workload) { w.Workers.Count = 2 }), "workloads[0].workers.count",
			[]string{"2", "must be 1", "one worker observes one validator"}},
		{"parts of a second", withWorkload(func(w *v1alpha1.Workload) { w.Measure.Window.Duration = 1500 * time.Millisecond }),
			"workloads[0].measure.window", []string{"1.5s", "whole seconds"}},
		{"an operation of another platform", withWorkload(func(w *v1alpha1.Workload) { w.Blocks = nil }), "workloads[0].blocks",
			[]string{"needs blocks", "makes its own blocks"}},
	}
	for _, r := range list {
		platformtest.CheckRefusal(t, malachite.New(), admission.AdmitNetwork(t, []byte(validManifest)), platformtest.Refusal(r))
	}
}

// TestSchemaRefuses covers what the schema itself rejects, so that kubectl apply reports it.
func TestSchemaRefuses(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	for name, c := range map[string]struct{ in, from, to, want string }{
		"parameters of discovery in a full mesh": {validManifest, "type: Discovery", "type: FullMesh", "platform.malachite.discovery belongs to platform.malachite.peers.type Discovery"},
		"a mesh below its low mark":              {validManifest, "discovery: {}", "discovery: {}, gossip: {mesh: 3}", "must have meshLow <= mesh <= meshHigh"},
		"outbound peers beyond the mesh":         {validManifest, "discovery: {}", "discovery: {}, gossip: {meshOutboundMin: 4}", "meshOutboundMin 1, or at most half of mesh and below meshLow"},
		"a zero block time":                      {validManifest, "discovery: {}", "discovery: {}, targetBlockTime: 0s", "must be whole milliseconds from 1ms to 10m"},
		"a timeout in microseconds":              {validManifest, "discovery: {}", "discovery: {}, timeouts: {propose: 100us}", "must be whole milliseconds"},
		"a floating image":                       {validManifest, "discovery: {}", "discovery: {}, image: x/malachite:latest", "must carry a tag other than latest"},
		"a load":                                 {validManifest, "blocks: {}", "blocks: {}\n    load: {clients: 3}", "load must be set with every type except Blocks, whose network makes its own blocks"},
		"no power":                               {validManifest, "discovery: {}", "discovery: {}, powers: {overrides: [{members: [member-0], power: 0}]}", "powers.overrides[0].power in body should be greater than or equal to 1"},
		"an unknown payload":                     {validManifest, "discovery: {}", "discovery: {}, payload: PartsOnly", `supported values: "ProposalAndParts", "ProposalOnly"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := admission.Admit([]byte(strings.Replace(c.in, c.from, c.to, 1)), &v1alpha1.BenchmarkNetwork{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			t.Log(err)
		})
	}
}
