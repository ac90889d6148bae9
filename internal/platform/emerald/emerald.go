// Package emerald is the platform Emerald: validators under Malachite consensus, each with an Ethereum execution client in the same
// pod. docs/emerald.md has every field with its default and source, and what the user's two images must hold.
//
// What validators are told, and the scripts that run in the user's image, lie under templates/. Keys and both geneses are made by
// the user's own Emerald in a Job; the project's EVM driver funds the accounts of the load and makes the rest of the keys.
package emerald

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Emerald is the platform.
type Emerald struct{}

// New is the platform.
func New() Emerald { return Emerald{} }

var (
	_ platform.Platform        = Emerald{}
	_ platform.GenesisProvider = Emerald{}
	_ platform.LoadTarget      = Emerald{}
	_ platform.Interpreter     = Emerald{}
	_ platform.Resettable      = Emerald{}
)

// Ports of a member's pod; 9102 is that of the sidecar of an emulated network. The Engine API is for the validator beside it alone.
const (
	portConsensus        = 27000
	portMempool          = 28000
	portMetrics          = 29000
	portHTTP             = 8545
	portWebSocket        = 8546
	portEngine           = 8551
	portPeers            = 30303
	portExecutionMetrics = 9001
	portAgent            = 9101
	portExecutionAgent   = 9103

	portNameMetrics          = "metrics"
	portNameHTTP             = "rpc"
	portNameExecutionMetrics = "el-metrics"
	// portNameGethMetrics tells Prometheus that they are where geth alone has them: /debug/metrics/prometheus.
	portNameGethMetrics    = "geth-metrics"
	portNameAgent          = "agent"
	portNameExecutionAgent = "el-agent"
)

// roleValidator of every member.
const roleValidator = "Validator"

// validatorPorts are those of the validator's container.
var validatorPorts = []members.Port{
	{Name: "consensus", Number: portConsensus, Access: members.AccessNetwork},
	{Name: portNameMetrics, Number: portMetrics, Access: members.AccessScrapers},
	{Name: portNameAgent, Number: portAgent, Access: members.AccessScrapers},
}

// executionPorts are those of the execution client's container.
func executionPorts(client v1alpha1.ExecutionClient) []members.Port {
	metrics := portNameExecutionMetrics
	if client == v1alpha1.ExecutionGeth {
		metrics = portNameGethMetrics
	}
	return []members.Port{
		{Name: portNameHTTP, Number: portHTTP, Access: members.AccessNetwork},
		{Name: "ws", Number: portWebSocket, Access: members.AccessNetwork},
		{Name: "peers", Number: portPeers, Access: members.AccessNetwork},
		{Name: metrics, Number: portExecutionMetrics, Access: members.AccessScrapers},
		{Name: portNameExecutionAgent, Number: portExecutionAgent, Access: members.AccessScrapers},
	}
}

// Type is Emerald.
func (Emerald) Type() v1alpha1.PlatformType { return v1alpha1.PlatformEmerald }

// Version names both images: what is in them is the user's.
func (Emerald) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	e := spec.Platform.Emerald
	return "Emerald " + e.Image + " on " + string(e.Execution.Client) + " " + e.Execution.Image
}

// StateVolume is the one that each member writes to.
func (Emerald) StateVolume() string { return volumeData }

// Topology lists the validators. Each is known by the address that the fees of its blocks go to: blocks name it as their proposer.
func (Emerald) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	return members.Topology(network, roleValidator, portConsensus, func(ordinal int32) string { return feeRecipient(int(ordinal)) })
}
