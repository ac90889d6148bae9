package corda

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Roles of a node.
const (
	roleParty  = "Party"
	roleNotary = "Notary"
)

// Ports of a node's container.
const (
	portP2P     = 10200
	portRPC     = 10201
	portAdmin   = 10202
	portJMX     = 9100
	portAgent   = 9101
	portJolokia = 7005

	portNameP2P   = "p2p"
	portNameRPC   = "rpc"
	portNameJMX   = "jmx"
	portNameAgent = "agent"
)

// nodePorts are the ports of a node that other pods reach.
var nodePorts = []members.Port{
	{Name: portNameP2P, Number: portP2P},
	{Name: portNameRPC, Number: portRPC},
	{Name: portNameJMX, Number: portJMX},
	{Name: portNameAgent, Number: portAgent},
	{Name: members.PortNameCommands, Number: members.CommandsPort(portAgent)},
}

// notaryName is the member name of a single notary. notaryIdentity is the legal name of a single notary or of
// the service of several replicas.
const (
	notaryName     = "notary"
	notaryIdentity = "O=Notary,L=London,C=GB"
)

// defaultNotaryReplicas is, for a notary service, the smallest number with redundancy.
var defaultNotaryReplicas = map[v1alpha1.CordaNotaryType]int32{
	v1alpha1.CordaNotarySingle: 1, v1alpha1.CordaNotarySharedDatabase: 2, v1alpha1.CordaNotaryRaft: 3, v1alpha1.CordaNotaryBFT: 4,
}

// Topology lists the parties, then the notary or its replicas.
func (Corda) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	t := platform.Topology{Network: network.Name}
	for i := range network.Spec.Members.Count {
		party := newNode(network, members.Name(i), roleParty, legalName(&network.Spec, i))
		party.Spec = network.Spec.ForMember(party.Name, party.Identity)
		t.Members = append(t.Members, party)
	}
	for i := range notaryReplicas(&network.Spec) {
		t.Members = append(t.Members, newNotary(network, i))
	}
	return t
}

func newNotary(network *v1alpha1.BenchmarkNetwork, ordinal int32) platform.Member {
	name, identity := notaryName, notaryIdentity
	if isNotaryCluster(&network.Spec) {
		name, identity = notaryReplicaName(ordinal), notaryReplicaIdentity(ordinal)
	}
	notary := newNode(network, name, roleNotary, identity)
	notary.Spec = notarySpec(&network.Spec)
	return notary
}

// notarySpec returns the spec as it is for the notary and its replicas.
func notarySpec(spec *v1alpha1.BenchmarkNetworkSpec) *v1alpha1.BenchmarkNetworkSpec {
	notary := &spec.Platform.Corda.Notary
	overridden := spec.WithNodeOverride(&notary.NodeOverride)
	if notary.Database != nil {
		overridden.Database = new(spec.DatabaseOrDefault().WithOverride(notary.Database))
	}
	return overridden
}

// notaryReplicaName returns the member name of a replica of a notary service.
func notaryReplicaName(ordinal int32) string { return fmt.Sprintf("notary-%d", ordinal) }

// notaryReplicaIdentity returns the legal name of the node of a replica. Clients use that of the service.
func notaryReplicaIdentity(ordinal int32) string {
	return fmt.Sprintf("O=Notary %d,L=London,C=GB", ordinal)
}

// notaryMembers returns the names of the notary nodes.
func notaryMembers(t platform.Topology) []string {
	var all []string
	for _, m := range t.Members {
		if m.Role == roleNotary {
			all = append(all, m.Name)
		}
	}
	return all
}

func newNode(network *v1alpha1.BenchmarkNetwork, name, role, identity string) platform.Member {
	m := members.New(network, name, role, portP2P)
	m.Identity = identity
	return m
}

// legalName returns the member's name from the spec, or O=Bank <ordinal>,L=London,C=GB.
func legalName(spec *v1alpha1.BenchmarkNetworkSpec, ordinal int32) string {
	if given := spec.Platform.Corda.LegalNames; int(ordinal) < len(given) {
		return given[ordinal]
	}
	return fmt.Sprintf("O=Bank %d,L=London,C=GB", ordinal)
}

// partyLegalNames returns the legal names of the members in order, without the notary.
func partyLegalNames(t platform.Topology) []string {
	var all []string
	for _, m := range t.Members {
		if m.Role == roleParty {
			all = append(all, m.Identity)
		}
	}
	return all
}
