package corda

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Ports of a replica of a BFT notary. Replicas submit requests to portBFT of all replicas, and agree at the next port,
// which Corda does not let choose.
const (
	portBFT         = 10205
	portBFTReplicas = portBFT + 1
)

var bftPorts = []members.Port{{Name: "bft", Number: portBFT}, {Name: "bft-replicas", Number: portBFTReplicas}}

// bftReadyPattern matches the line that a replica prints when it has joined a quorum of replicas.
const bftReadyPattern = "Ready to process operations"

// bftReplica configures the node of a replica of a BFT notary. Nodes resolve the names of the others only when they
// start, so each replica has an address that persists while its pod is replaced.
type bftReplica struct {
	// ID is the index of the replica's own address.
	ID        int
	Addresses []string
}

// newBFTReplica returns nil if m is not a replica of a BFT notary.
func newBFTReplica(network *v1alpha1.BenchmarkNetwork, m platform.Member) *bftReplica {
	if !usesBFT(&network.Spec) || m.Role != roleNotary {
		return nil
	}
	r := &bftReplica{}
	for i := range notaryReplicas(&network.Spec) {
		host := members.AddressHost(network, notaryReplicaName(i))
		if notaryReplicaName(i) == m.Name {
			r.ID, host = int(i), "0.0.0.0" // The node listens here, and the address of its Service is not its own.
		}
		r.Addresses = append(r.Addresses, members.HostPort(host, portBFT))
	}
	return r
}

// readyFlags returns the flags of the agent by which the replica is ready only when it has joined the others; none for
// nil.
func (r *bftReplica) readyFlags() []string {
	if r == nil {
		return nil
	}
	return []string{"--ready-pattern", bftReadyPattern}
}
