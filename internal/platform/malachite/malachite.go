// Package malachite implements the platforms Malachite and MalachiteEVM: validators that run the project's own
// block-producing application (systems/malachite-bench) on Malachite's consensus. On Malachite they decide blocks
// of a fixed size back to back without a load driver, and a run observes the decisions of one validator. On
// MalachiteEVM (files evm*.go) an execution client beside each validator builds and executes the blocks.
// docs/malachite.md and docs/malachite-evm.md document every field with its default and source.
package malachite

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/validators"
)

// Malachite implements platform.Platform.
type Malachite struct{ validators.Base }

// New returns the platform.
func New() Malachite { return Malachite{} }

var (
	_ platform.Platform         = Malachite{}
	_ platform.GenesisProvider  = Malachite{}
	_ platform.Interpreter      = Malachite{}
	_ platform.Resettable       = Malachite{}
	_ platform.OverrideProvider = Malachite{}
	_ platform.LeaderReader     = Malachite{}
)

// libraryVersion is the version of the consensus library's crates in the project's own image.
const libraryVersion = "0.8.2"

// program is the project's own program of a validator.
var program = validators.Program{Name: "malachite", Image: "malachite-bench", Ports: validators.Ports}

// Type returns PlatformMalachite.
func (Malachite) Type() v1alpha1.PlatformType { return v1alpha1.PlatformMalachite }

// Version returns the version of the library, or the image if the user supplies one.
func (Malachite) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	if image := spec.Platform.Malachite.Image; image != "" {
		return "Malachite, " + image
	}
	return "Malachite " + libraryVersion
}

// BuildGenesis generates a key for each validator, in a Secret of its own, and the genesis with all of them.
func (Malachite) BuildGenesis(in platform.Input, topology platform.Topology) (platform.Genesis, error) {
	return program.BuildGenesis(in, topology, program.ImageOrDefault(in, in.Network.Spec.Platform.Malachite.Image)), nil
}

// BuildMembers returns the objects of all validators.
func (Malachite) BuildMembers(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	spec := in.Network.Spec.Platform.Malachite
	graph := buildGraph(spec, len(topology.Members))
	return program.BuildMembers(in, topology, program.ImageOrDefault(in, spec.Image),
		func(member *v1alpha1.BenchmarkNetworkSpec) resource.Quantity {
			return stateOf(member.Platform.Malachite).ExpectedStorage()
		},
		func(ordinal int, m platform.Member) (string, error) {
			data := newConfigData(in, topology, graph, ordinal, spec)
			data.Threads = validators.CountThreads(m.Spec, m.Spec.Platform.Malachite.Threads)
			return validators.RenderConfig(configTemplates, data.Moniker, data)
		})
}
