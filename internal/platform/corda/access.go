package corda

import (
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// rpcUser is the only user of a member. A notary has none: nothing is to be asked of it.
const rpcUser = "benchnet"

// Keys of the Secret with the network's passwords.
const (
	keyKeystore   = "keystore"
	keyTruststore = "truststore"
)

// rpcPasswordKey is the key of a member's RPC password.
func rpcPasswordKey(member string) string { return "rpc-" + member }

// financeFlows are all flows of R3's finance CorDapp that can be started over RPC.
var financeFlows = []string{
	"net.corda.finance.flows.CashExitFlow",
	"net.corda.finance.flows.CashIssueAndPaymentFlow",
	"net.corda.finance.flows.CashIssueFlow",
	"net.corda.finance.flows.CashPaymentFlow",
	"net.corda.finance.internal.CashConfigDataFlow",
}

// clientRPCs are what the driver, and a JMeter plan of the user's own, ask of a node besides starting flows.
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

// rpcPermissions of the RPC user. They cannot follow the workloads, since a network is not restarted for a new one: where the
// user brings CorDapps, whose flows are unknown here, all is allowed.
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

func isFinanceFlow(class string) bool { return slices.Contains(financeFlows, class) }

// Credentials are the passwords of the key stores, and one for each member's RPC user.
func (Corda) Credentials(topology platform.Topology) []platform.Credential {
	keys := []string{keyKeystore, keyTruststore}
	for _, m := range topology.Members {
		if m.Role == roleParty {
			keys = append(keys, rpcPasswordKey(m.Name))
		}
	}
	return []platform.Credential{{Name: naming.CredentialsSecret(topology.Network), Keys: keys}}
}
