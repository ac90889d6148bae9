// Package cometbft implements the platform CometBFT: validators that run the project's own program around CometBFT
// (systems/cometbft-bench). With the application Blocks they decide blocks of a fixed size back to back without a load driver, and a
// run observes the decisions of one validator. With the application KVStore, a driver (drivers/cometbft) sends transactions.
// docs/cometbft.md documents every field with its default and source.
package cometbft

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
	"github.com/benchnet/benchnet/internal/platform/validators"
)

// CometBFT implements platform.Platform.
type CometBFT struct{ validators.Base }

// New returns the platform.
func New() CometBFT { return CometBFT{} }

var (
	_ platform.Platform         = CometBFT{}
	_ platform.GenesisProvider  = CometBFT{}
	_ platform.Interpreter      = CometBFT{}
	_ platform.PoissonScheduler = CometBFT{}
	_ platform.Resettable       = CometBFT{}
	_ platform.OverrideProvider = CometBFT{}
	_ platform.LeaderReader     = CometBFT{}
)

// libraryVersion is the version of CometBFT in the project's own image.
const libraryVersion = "0.40.0"

// portRPC serves CometBFT's JSON-RPC.
const portRPC = 26657

// programOf returns the program of the validators. Only with the application KVStore does it serve JSON-RPC.
func programOf(c *v1alpha1.CometBFTPlatform) validators.Program {
	p := validators.Program{Name: "cometbft", Image: "cometbft-bench", Ports: validators.Ports}
	if usesMempool(c) {
		p.Ports = append(p.Ports[:len(p.Ports):len(p.Ports)], members.Port{Name: "rpc", Number: portRPC})
	}
	return p
}

// usesMempool reports whether the blocks hold transactions of clients.
func usesMempool(c *v1alpha1.CometBFTPlatform) bool {
	return c != nil && c.Application == v1alpha1.CometBFTKVStore
}

// Type returns PlatformCometBFT.
func (CometBFT) Type() v1alpha1.PlatformType { return v1alpha1.PlatformCometBFT }

// Version names the version of CometBFT, or the image if the user supplies one, and what differs from CometBFT's defaults.
func (CometBFT) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	c := spec.Platform.CometBFT
	version := "CometBFT " + libraryVersion
	if c.Image != "" {
		version = "CometBFT, " + c.Image
	}
	g := gossipOf(c)
	if g != gossipDefaults[v1alpha1.CometBFTDefaults] {
		version += fmt.Sprintf(", tuned: gossip sleep %s, flush %s, rate %s, packets of %s", g.Sleep, g.Flush, g.Rate, g.PacketSize)
	}
	return fmt.Sprintf("%s (timeout_commit %s)", version, c.Timeouts.Commit.Duration)
}

// BuildGenesis generates the keys of each validator, in a Secret of its own, and the genesis with all of them.
func (CometBFT) BuildGenesis(in platform.Input, topology platform.Topology) (platform.Genesis, error) {
	c := in.Network.Spec.Platform.CometBFT
	p := programOf(c)
	return p.BuildGenesis(in, topology, p.ImageOrDefault(in, c.Image)), nil
}

// BuildMembers returns the objects of all validators.
func (CometBFT) BuildMembers(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	c := in.Network.Spec.Platform.CometBFT
	p := programOf(c)
	graph := validators.BuildGraph(&c.Peers, len(topology.Members))
	return p.BuildMembers(in, topology, p.ImageOrDefault(in, c.Image),
		func(spec *v1alpha1.BenchmarkNetworkSpec) resource.Quantity { return stateOf(spec).ExpectedStorage() },
		func(ordinal int, m platform.Member) (string, error) {
			data := newConfigData(in, topology, graph, ordinal, c)
			data.Threads = validators.CountThreads(m.Spec, m.Spec.Platform.CometBFT.Threads)
			return validators.RenderConfig(configTemplates, data.Moniker, data)
		})
}

// SummarizeWorkloads returns one workload with the bytes of all transactions, in transactions of the default size.
func (CometBFT) SummarizeWorkloads(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.Workload {
	return []v1alpha1.Workload{sizing.NewSummary((plannedBytes(spec) + defaultTransactionBytes - 1) / defaultTransactionBytes)}
}

// SupportsPoisson reports that the driver draws the size of each batch.
func (CometBFT) SupportsPoisson(*v1alpha1.Workload) bool { return true }
