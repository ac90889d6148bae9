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
	{Name: portNameP2P, Number: portP2P, Access: members.AccessNetwork},
	{Name: portNameRPC, Number: portRPC, Access: members.AccessNetwork},
	{Name: portNameJMX, Number: portJMX, Access: members.AccessScrapers},
	{Name: portNameAgent, Number: portAgent, Access: members.AccessScrapers},
}

// notaryName is the notary's member name. notaryIdentity is its legal name.
const (
	notaryName     = "notary"
	notaryIdentity = "O=Notary,L=London,C=GB"
)

// Topology lists the parties, then the notary.
func (Corda) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	t := platform.Topology{Network: network.Name}
	for i := range network.Spec.Members.Count {
		t.Members = append(t.Members, newNode(network, members.Name(i), roleParty, legalName(&network.Spec, i)))
	}
	if hasNotary(&network.Spec) {
		notary := newNode(network, notaryName, roleNotary, notaryIdentity)
		notary.Scheduling = network.Spec.Platform.Corda.Notary.Scheduling
		t.Members = append(t.Members, notary)
	}
	return t
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
