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
    override fun call(): SecureHash = subFlow(Settlement(Past.fresh(depth)))
}

/** Settles any assets, back and forth without limit: a set-up with one asset for each concurrent flow is enough. */
@StartableByRPC
class SettleFlow : FlowLogic<SecureHash>() {
    @Suspendable
    override fun call(): SecureHash = subFlow(Settlement(null))
}

/** The asset that the exchange requests from a member: the first available kind, with this past unless it is null. */
@CordaSerializable
data class Wanted(val kinds: List<Kind>, val past: String?)

/**
 * The exchange's side of one settlement. It requests an asset from every member and swaps the assets within each pair
 * in one transaction. All members and the exchange sign it, the notary notarises it, and all members receive it.
 * Returns the transaction's id.
 */
@InitiatingFlow
class Settlement(private val past: String?) : FlowLogic<SecureHash>() {
    @Suspendable
    override fun call(): SecureHash {
        val pairs = serviceHub.pairs(ourIdentity)
        val first = pairs.map { initiateFlow(it.cash) }
        val second = pairs.map { initiateFlow(it.stock) }
        val asked = receive(first, first.map { Wanted(listOf(Kind.Cash, Kind.Stock), past) })
        val matched = receive(second, asked.map { Wanted(listOf(it.state.data.kind.other), past) })
        val signed = subFlow(CollectSignaturesFlow(settle(asked, matched), first + second))
        return subFlow(FinalityFlow(signed, first + second)).id
    }

    /** Sends all requests before it waits for the first answer. */
    @Suspendable
    private fun receive(sessions: List<FlowSession>, wanted: List<Wanted>): List<StateAndRef<Asset>> {
        for (i in sessions.indices) sessions[i].send(wanted[i])
        val assets = mutableListOf<StateAndRef<Asset>>()
        for (session in sessions) assets += subFlow(ReceiveStateAndRefFlow<Asset>(session)).single()
        return assets
    }

    private fun settle(first: List<StateAndRef<Asset>>, second: List<StateAndRef<Asset>>): SignedTransaction {
        val owners = (first + second).map { it.state.data.owner.owningKey }
        val builder = TransactionBuilder(first.first().state.notary)
            .addCommand(Command(SettlementContract.Commands.Settle(), owners + ourIdentity.owningKey))
        for ((one, other) in first.zip(second)) {
            builder.give(one, other.state.data.owner)
            builder.give(other, one.state.data.owner)
        }
        builder.verify(serviceHub)
        return serviceHub.signInitialTransaction(builder)
    }

    private fun TransactionBuilder.give(asset: StateAndRef<Asset>, to: Party) {
        addInputState(asset)
        addOutputState(asset.state.data.given(to, Past.SETTLED))
    }
}
