// Package malachite is the platform Malachite: validators that run the project's own block-producing application
// (systems/malachite-bench) on Malachite's consensus. They decide on one block of a set size after the other, so that nobody
// puts load on them; what one of them decides is observed. docs/malachite.md has every field with its default and source.
package malachite

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Malachite is the platform.
type Malachite struct{}

// New is the platform.
func New() Malachite { return Malachite{} }

var (
	_ platform.Platform        = Malachite{}
	_ platform.GenesisProvider = Malachite{}
	_ platform.LoadTarget      = Malachite{}
	_ platform.Interpreter     = Malachite{}
	_ platform.Resettable      = Malachite{}
)

// libraryVersion is that of the consensus library's crates in the project's own image.
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

// validatorPorts are the ports of a validator that other pods reach. Blocks and readiness have a port apart from the metrics,
// so that scrapers reach the metrics only.
var validatorPorts = []members.Port{
	{Name: portNameP2P, Number: portP2P, Access: members.AccessNetwork},
	{Name: portNameHTTP, Number: portHTTP, Access: members.AccessNetwork},
	{Name: portNameMetrics, Number: portMetrics, Access: members.AccessScrapers},
	{Name: portNameAgent, Number: portAgent, Access: members.AccessScrapers},
}

// Type is Malachite.
func (Malachite) Type() v1alpha1.PlatformType { return v1alpha1.PlatformMalachite }

// Version is that of the library, or the image where that is the user's.
func (Malachite) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	if image := spec.Platform.Malachite.Image; image != "" {
		return "Malachite, " + image
	}
	return "Malachite " + libraryVersion
}

// StateVolume is the one that each member writes to.
func (Malachite) StateVolume() string { return volumeHome }

// Topology lists the validators in the order of the genesis; their identity is the moniker in their logs and metrics.
func (Malachite) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	return members.Topology(network, "Validator", portP2P, func(ordinal int32) string { return fmt.Sprintf("validator-%d", ordinal) })
}
