// Package malachite implements the platforms Malachite and MalachiteEVM: validators that run the project's own
// block-producing application (systems/malachite-bench) on Malachite's consensus. On Malachite they decide blocks
// of a fixed size back to back without a load driver, and a run observes the decisions of one validator. On
// MalachiteEVM (files evm*.go) an execution client beside each validator builds and executes the blocks.
// docs/malachite.md and docs/malachite-evm.md document every field with its default and source.
package malachite

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Malachite implements platform.Platform.
type Malachite struct{}

// New returns the platform.
func New() Malachite { return Malachite{} }

var (
	_ platform.Platform        = Malachite{}
	_ platform.GenesisProvider = Malachite{}
	_ platform.Interpreter     = Malachite{}
	_ platform.Resettable      = Malachite{}
)

// libraryVersion is the version of the consensus library's crates in the project's own image.
const libraryVersion = "0.8.2"

// Ports of a validator's container.
const (
	portP2P     = 27000
	portHTTP    = 29000
	portMetrics = 29001
	portAgent   = 9101

	portNameP2P     = "p2p"
	portNameHTTP    = "http"
	portNameMetrics = "metrics"
	portNameAgent   = "agent"
)

// validatorPorts are the ports of a validator that other pods reach. Blocks and readiness have a separate
// port, so that scrapers can reach only the metrics.
var validatorPorts = []members.Port{
	{Name: portNameP2P, Number: portP2P},
	{Name: portNameHTTP, Number: portHTTP},
	{Name: portNameMetrics, Number: portMetrics},
	{Name: portNameAgent, Number: portAgent},
	{Name: members.PortNameCommands, Number: members.CommandsPort(portAgent)},
}

// Type returns PlatformMalachite.
func (Malachite) Type() v1alpha1.PlatformType { return v1alpha1.PlatformMalachite }

// Version returns the version of the library, or the image if the user supplies one.
func (Malachite) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	if image := spec.Platform.Malachite.Image; image != "" {
		return "Malachite, " + image
	}
	return "Malachite " + libraryVersion
}

// StateVolume returns the name of the only volume with state.
func (Malachite) StateVolume() string { return volumeHome }

// Topology lists the validators in the order of the genesis. Their identity is the moniker in their logs and
// metrics.
func (Malachite) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	return members.Topology(network, "Validator", portP2P, func(ordinal int32) string { return fmt.Sprintf("validator-%d", ordinal) })
}
