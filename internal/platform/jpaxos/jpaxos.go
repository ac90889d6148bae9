// Package jpaxos implements the platform JPaxos: replicas of a service that agree by Paxos on the order of its
// clients' requests. JPaxos is not published on a registry, so users supply its image. docs/jpaxos.md
// documents its contract and every field with its default and source.
//
// A replica reads paxos.properties and logback.xml from its working directory; both are in templates/.
package jpaxos

import (
	"strconv"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// JPaxos implements platform.Platform.
type JPaxos struct{}

// New returns the platform.
func New() JPaxos { return JPaxos{} }

var (
	_ platform.Platform     = JPaxos{}
	_ platform.Interpreter  = JPaxos{}
	_ platform.Resettable   = JPaxos{}
	_ platform.LeaderReader = JPaxos{}
)

// roleReplica is the only role, because the leader may change while the network runs.
const roleReplica = "Replica"

// Ports of a replica.
const (
	portReplica = 2021
	portClient  = 3001
	portAgent   = 9101

	portNameReplica = "replica"
	portNameUDP     = "replica-udp"
	portNameClient  = "client"
	portNameAgent   = "agent"
)

// Type returns PlatformJPaxos.
func (JPaxos) Type() v1alpha1.PlatformType { return v1alpha1.PlatformJPaxos }

// Version returns the image, because JPaxos has no version numbers.
func (JPaxos) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	return "JPaxos of " + spec.Platform.JPaxos.Image
}

// StateVolume returns the name of the only volume with state.
func (JPaxos) StateVolume() string { return volumeStorage }

// Topology lists the replicas. Their identity is their number.
func (JPaxos) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	return members.Topology(network, roleReplica, portReplica, func(ordinal int32) string { return strconv.Itoa(int(ordinal)) })
}

// Leadership returns all replicas.
func (JPaxos) Leadership(_ *v1alpha1.BenchmarkNetworkSpec, topology platform.Topology) (platform.Leadership, error) {
	return platform.Leadership{Members: topology.MemberNames()}, nil
}
