// Package jpaxos is the platform JPaxos: replicas of a service that agree by Paxos on the order of its clients' requests. JPaxos is
// on no registry, so its image is the user's; docs/jpaxos.md has its contract and every field with its default and source.
//
// A replica reads paxos.properties and logback.xml from its working directory; both lie under templates/.
package jpaxos

import (
	"strconv"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// JPaxos is the platform.
type JPaxos struct{}

// New is the platform.
func New() JPaxos { return JPaxos{} }

var (
	_ platform.Platform    = JPaxos{}
	_ platform.LoadTarget  = JPaxos{}
	_ platform.Interpreter = JPaxos{}
	_ platform.Resettable  = JPaxos{}
)

// roleReplica is the only role: whoever leads may change while the network runs.
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

// Type is JPaxos.
func (JPaxos) Type() v1alpha1.PlatformType { return v1alpha1.PlatformJPaxos }

// Version is the image: JPaxos carries no version of its own.
func (JPaxos) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	return "JPaxos of " + spec.Platform.JPaxos.Image
}

// StateVolume is the one that each member writes to.
func (JPaxos) StateVolume() string { return volumeStorage }

// Topology lists the replicas, which know each other by number.
func (JPaxos) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	return members.Topology(network, roleReplica, portReplica, func(ordinal int32) string { return strconv.Itoa(int(ordinal)) })
}
