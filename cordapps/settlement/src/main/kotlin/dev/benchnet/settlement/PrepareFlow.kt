package dev.benchnet.settlement

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Command
import net.corda.core.contracts.StateAndRef
import net.corda.core.flows.FinalityFlow
import net.corda.core.flows.FlowException
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatedBy
import net.corda.core.flows.InitiatingFlow
import net.corda.core.flows.StartableByRPC
import net.corda.core.identity.Party
import net.corda.core.serialization.CordaSerializable
import net.corda.core.transactions.TransactionBuilder
import net.corda.core.utilities.unwrap

/** The exchange's request to one member before the measurement. */
@CordaSerializable
data class Preparation(val kind: Kind, val assets: Int, val depth: Int, val partner: Party)

/**
 * The set-up, run on the exchange: every member issues [assets] assets to itself and transfers each [depth] times
 * between itself and its partner, one transaction each. Members of other pairs do not have these transactions and
 * must resolve them in a settlement. Returns the number of assets of one member when all members are done.
 */
@InitiatingFlow
@StartableByRPC
class PrepareFlow(private val assets: Int, private val depth: Int) : FlowLogic<Int>() {
    @Suspendable
    override fun call(): Int {
        if (assets < 1) throw FlowException("assets: must be at least 1, but is $assets")
        if (depth < 0) throw FlowException("depth: must be at least 0, but is $depth")
        val sessions = mutableListOf<FlowSession>()
        for (pair in serviceHub.findPairs(ourIdentity)) {
            sessions += requestPreparation(pair.cash, Preparation(Kind.Cash, assets, depth, pair.stock))
            sessions += requestPreparation(pair.stock, Preparation(Kind.Stock, assets, depth, pair.cash))
        }
        for (session in sessions) session.receive<Int>()
        return assets
    }

    @Suspendable
    private fun requestPreparation(member: Party, preparation: Preparation): FlowSession {
        val session = initiateFlow(member)
        session.send(preparation)
        return session
    }
}

/** A member's side of the set-up. */
@InitiatedBy(PrepareFlow::class)
class PrepareMember(private val exchange: FlowSession) : FlowLogic<Unit>() {
    @Suspendable
    override fun call() {
        val order = exchange.receive<Preparation>().unwrap { it }
        val issued = mutableListOf<StateAndRef<Asset>>()
        for (i in 1..order.assets) issued += issueAsset(order)
        if (order.depth > 0) subFlow(BackchainFlow(issued, order.partner, order.depth))
        exchange.send(issued.size)
    }

    @Suspendable
    private fun issueAsset(order: Preparation): StateAndRef<Asset> {
        val builder = TransactionBuilder(serviceHub.findNotary())
            .addOutputState(order.kind.issue(ourIdentity, History.fresh(order.depth)))
            .addCommand(Command(SettlementContract.Commands.Issue(), ourIdentity.owningKey))
        builder.verify(serviceHub)
        val issued = subFlow(FinalityFlow(serviceHub.signInitialTransaction(builder), emptyList()))
        return issued.tx.outRefsOfType<Asset>().single()
    }
}
