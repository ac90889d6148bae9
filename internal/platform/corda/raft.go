package corda

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Ports of a replica of a Raft notary.
const (
	// portRaft is the port of its pod, which the other replicas reach.
	portRaft = 10203
	// portRaftLoopback is the port of its node's address.
	portRaftLoopback = 10204
)

// A replica reports its role over JMX at raftRoleURL, in which raftRolePattern finds it.
var raftRoleURL = fmt.Sprintf("http://127.0.0.1:%d/jolokia/read/net.corda:type=RaftCluster,name=ThisServerStatus/Value", portJolokia)

const raftRolePattern = `"value":"(?:(?P<Leader>LEADER)|(?P<Follower>FOLLOWER))"`

var raftPorts = []members.Port{{Name: "raft", Number: portRaft}}

// raftReplica configures the node of a replica of a Raft notary. Corda's Raft library derives the ID of a replica
// from its IP address, and a pod that is replaced has a new one. So each replica has a loopback address, which is
// the same in the pods of all replicas. The agent in each pod passes connections on between these addresses.
type raftReplica struct {
	// Address is the address of the node, and Join that of the first replica, which creates the cluster; for the
	// first itself Join is empty.
	Address, Join string
	// forwards are the routes of the agent.
	forwards []string
}

// newRaftReplica returns nil if m is not a replica of a Raft notary.
func newRaftReplica(network *v1alpha1.BenchmarkNetwork, m platform.Member) *raftReplica {
	if !usesRaft(&network.Spec) || m.Role != roleNotary {
		return nil
	}
	r := &raftReplica{Join: raftAddress(0)}
	for i := range notaryReplicas(&network.Spec) {
		address, peer := raftAddress(i), newNotary(network, i)
		if peer.Name != m.Name {
			r.forwards = append(r.forwards, address+"="+members.HostPort(peer.Host, portRaft))
			continue
		}
		r.Address = address
		r.forwards = append(r.forwards, members.HostPort("", portRaft)+"="+address)
	}
	if r.Address == r.Join {
		r.Join = ""
	}
	return r
}

func raftAddress(ordinal int32) string {
	return members.HostPort(fmt.Sprintf("127.0.1.%d", ordinal+1), portRaftLoopback)
}

// forwardFlags returns the flags of the agent; none for nil.
func (r *raftReplica) forwardFlags() []string {
	if r == nil {
		return nil
	}
	var flags []string
	for _, route := range r.forwards {
		flags = append(flags, "--forward", route)
	}
	return flags
}

// checkFlags returns the flags of the agent's check that the replica has joined the cluster, which it reports over
// JMX; none for nil, and none without observation, because the node then serves no JMX.
func (r *raftReplica) checkFlags(network *v1alpha1.BenchmarkNetwork) []string {
	if r == nil || network.Spec.Observation == v1alpha1.ObservationNone {
		return nil
	}
	return []string{"--get", raftRoleURL, "--match", raftRolePattern}
}

// roleFlags returns the flags by which the agent reads the role of the replica; none for nil, and none without observation.
func (r *raftReplica) roleFlags(network *v1alpha1.BenchmarkNetwork) []string {
	if r == nil || network.Spec.Observation == v1alpha1.ObservationNone {
		return nil
	}
	return []string{"--role-url", raftRoleURL, "--role-match", raftRolePattern}
}

// Leadership returns the replicas of a Raft notary.
func (Corda) Leadership(spec *v1alpha1.BenchmarkNetworkSpec, topology platform.Topology) (platform.Leadership, error) {
	if !usesRaft(spec) {
		return platform.Leadership{}, fmt.Errorf("needs platform.corda.notary.type Raft: a notary of type %s has no leader that its agents can read",
			spec.Platform.Corda.Notary.Type)
	}
	return platform.Leadership{Members: notaryMembers(topology)}, nil
}
