package dev.benchnet.settlement

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Command
import net.corda.core.contracts.StateAndRef
import net.corda.core.crypto.SecureHash
import net.corda.core.flows.CollectSignaturesFlow
import net.corda.core.flows.FinalityFlow
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatingFlow
import net.corda.core.flows.ReceiveStateAndRefFlow
import net.corda.core.flows.StartableByRPC
import net.corda.core.identity.Party
import net.corda.core.serialization.CordaSerializable
import net.corda.core.transactions.SignedTransaction
import net.corda.core.transactions.TransactionBuilder

/** Settles assets that a set-up with this depth created, each once. Fails when a member has none left. */
@StartableByRPC
class SettleFreshFlow(private val depth: Int) : FlowLogic<SecureHash>() {
    @Suspendable
    override fun call(): SecureHash = subFlow(Settlement(History.fresh(depth)))
}

/** Settles any assets, back and forth without limit: a set-up with one asset for each concurrent flow is enough. */
@StartableByRPC
class SettleFlow : FlowLogic<SecureHash>() {
    @Suspendable
    override fun call(): SecureHash = subFlow(Settlement(null))
}

/** The asset that the exchange requests from a member: of the first available kind, with any history if it is null. */
@CordaSerializable
data class AssetRequest(val kinds: List<Kind>, val history: String?)

/**
 * The exchange's side of one settlement. It requests an asset from every member and swaps the assets within each pair
 * in one transaction. All members and the exchange sign it, the notary notarises it, and all members receive it.
 * Returns the transaction's id.
 */
@InitiatingFlow
class Settlement(private val history: String?) : FlowLogic<SecureHash>() {
    @Suspendable
    override fun call(): SecureHash {
        val pairs = serviceHub.findPairs(ourIdentity)
        val first = pairs.map { initiateFlow(it.cash) }
        val second = pairs.map { initiateFlow(it.stock) }
        val offered = requestAssets(first, first.map { AssetRequest(listOf(Kind.Cash, Kind.Stock), history) })
        val matched = requestAssets(second, offered.map { AssetRequest(listOf(it.state.data.kind.other), history) })
        val signed = subFlow(CollectSignaturesFlow(buildSettlement(offered, matched), first + second))
        return subFlow(FinalityFlow(signed, first + second)).id
    }

    /** Sends all requests before it waits for the first answer. */
    @Suspendable
    private fun requestAssets(sessions: List<FlowSession>, requests: List<AssetRequest>): List<StateAndRef<Asset>> {
        for (i in sessions.indices) sessions[i].send(requests[i])
        val assets = mutableListOf<StateAndRef<Asset>>()
        for (session in sessions) assets += subFlow(ReceiveStateAndRefFlow<Asset>(session)).single()
        return assets
    }

    private fun buildSettlement(first: List<StateAndRef<Asset>>, second: List<StateAndRef<Asset>>): SignedTransaction {
        val owners = (first + second).map { it.state.data.owner.owningKey }
        val builder = TransactionBuilder(first.first().state.notary)
            .addCommand(Command(SettlementContract.Commands.Settle(), owners + ourIdentity.owningKey))
        for ((one, other) in first.zip(second)) {
            builder.transfer(one, other.state.data.owner)
            builder.transfer(other, one.state.data.owner)
        }
        builder.verify(serviceHub)
        return serviceHub.signInitialTransaction(builder)
    }

    private fun TransactionBuilder.transfer(asset: StateAndRef<Asset>, to: Party) {
        addInputState(asset)
        addOutputState(asset.state.data.withOwner(to, History.SETTLED))
    }
}
