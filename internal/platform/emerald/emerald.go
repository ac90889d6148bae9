// Package emerald implements the platform Emerald: validators under Malachite consensus, each with an Ethereum
// execution client in the same pod. docs/emerald.md documents every field with its default and source, and the
// contract of the user's two images.
//
// The configuration of the validators and the scripts that run in the user's image are in templates/. In the
// genesis Job, the user's Emerald generates the validators' keys and both geneses. The project's EVM driver
// funds the accounts of the load and generates the other keys.
package emerald

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Emerald implements platform.Platform.
type Emerald struct{ execution.Base }

// New returns the platform.
func New() Emerald { return Emerald{execution.Base{LayerOf: layerOf}} }

var (
	_ platform.Platform         = Emerald{}
	_ platform.PoissonScheduler = Emerald{}
	_ platform.GenesisProvider  = Emerald{}
	_ platform.Interpreter      = Emerald{}
	_ platform.Resettable       = Emerald{}
)

// Ports of the validator. Port 9102 is reserved for the sidecar of an emulated network.
const (
	portConsensus = 27000
	portMempool   = 28000
	portMetrics   = 29000
	portAgent     = 9101

	portNameMetrics = "metrics"
	portNameAgent   = "agent"
)

// roleValidator is the role of every member.
const roleValidator = "Validator"

// validatorPorts are the ports of the validator's container.
var validatorPorts = []members.Port{
	{Name: "consensus", Number: portConsensus},
	{Name: portNameMetrics, Number: portMetrics},
	{Name: portNameAgent, Number: portAgent},
	{Name: members.PortNameCommands, Number: members.CommandsPort(portAgent)},
}

// Type returns PlatformEmerald.
func (Emerald) Type() v1alpha1.PlatformType { return v1alpha1.PlatformEmerald }

// Version names both images because the user supplies them.
func (Emerald) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	e := spec.Platform.Emerald
	return "Emerald " + e.Image + " on " + string(e.Execution.Client) + " " + e.Execution.Image
}

// Topology lists the validators. The identity of a validator is its fee address, by which blocks name their
// proposer.
func (Emerald) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	return members.Topology(network, roleValidator, portConsensus, func(ordinal int32) string { return execution.FeeRecipient(int(ordinal)) })
}
