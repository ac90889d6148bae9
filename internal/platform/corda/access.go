package corda

import (
	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// rpcUser is the only RPC user of a member. A notary has none because no client calls it.
const rpcUser = "benchnet"

// Keys of the Secret that holds the network's passwords.
const (
	keyKeystore   = "keystore"
	keyTruststore = "truststore"
)

func rpcPasswordKey(member string) string { return "rpc-" + member }

// financeFlows lists all flows of R3's finance CorDapp that can be started over RPC.
var financeFlows = []string{
	"net.corda.finance.flows.CashExitFlow",
	"net.corda.finance.flows.CashIssueAndPaymentFlow",
	"net.corda.finance.flows.CashIssueFlow",
	"net.corda.finance.flows.CashPaymentFlow",
	"net.corda.finance.internal.CashConfigDataFlow",
}

// clientRPCs lists the RPC calls, besides starting flows, of the driver and of users' own JMeter plans.
var clientRPCs = []string{
	"internalFindVerifiedTransaction",
	"networkMapSnapshot",
	"nodeInfo",
	"notaryIdentities",
	"notaryPartyFromX500Name",
	"vaultQueryBy",
	"vaultQueryByWithPagingSpec",
	"wellKnownPartyFromX500Name",
}

// rpcPermissions returns the permissions of the RPC user in a node's role. They cannot follow the workloads,
// because a new workload does not restart the network. If the user supplies CorDapps, their flows are unknown
// and everything is allowed.
func rpcPermissions(spec *v1alpha1.BenchmarkNetworkSpec, role string) []string {
	if role == roleNotary {
		return nil
	}
	if bringsCorDapps(spec) {
		return []string{"ALL"}
	}
	var all []string
	for _, flow := range financeFlows {
		all = append(all, "StartFlow."+flow)
	}
	for _, call := range clientRPCs {
		all = append(all, "InvokeRpc."+call)
	}
	return all
}

// Credentials returns the Secret with the passwords of the key stores and one for each member's RPC user.
func (Corda) Credentials(topology platform.Topology) []platform.Credential {
	keys := []string{keyKeystore, keyTruststore}
	for _, m := range topology.Members {
		if m.Role == roleParty {
			keys = append(keys, rpcPasswordKey(m.Name))
		}
	}
	return []platform.Credential{{Name: naming.CredentialsSecret(topology.Network), Keys: keys}}
}
