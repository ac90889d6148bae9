package dev.benchnet.settlement

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Command
import net.corda.core.contracts.StateAndRef
import net.corda.core.flows.FinalityFlow
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatedBy
import net.corda.core.flows.InitiatingFlow
import net.corda.core.flows.ReceiveFinalityFlow
import net.corda.core.identity.Party
import net.corda.core.serialization.CordaSerializable
import net.corda.core.transactions.TransactionBuilder
import net.corda.core.utilities.unwrap

/** The number of assets, and the number of transfers of each. */
@CordaSerializable
data class TransferCounts(val assets: Int, val depth: Int)

/** Transfers each asset to the partner and back in turn, [depth] transfers in all, one per transaction. */
@InitiatingFlow
class BackchainFlow(
    private val assets: List<StateAndRef<Asset>>,
    private val partner: Party,
    private val depth: Int
) : FlowLogic<Unit>() {
    @Suspendable
    override fun call() {
        val session = initiateFlow(partner)
        session.send(TransferCounts(assets.size, depth))
        for (asset in assets) subFlow(TransferBackAndForth(session, asset, depth))
    }
}

@InitiatedBy(BackchainFlow::class)
class BackchainPartner(private val session: FlowSession) : FlowLogic<Unit>() {
    @Suspendable
    override fun call() {
        val order = session.receive<TransferCounts>().unwrap { it }
        for (i in 1..order.assets) subFlow(TransferBackAndForth(session, null, order.depth))
    }
}

/** One side of the transfers of one asset. The side with the asset starts; the other side has null. */
private class TransferBackAndForth(
    private val session: FlowSession,
    private var asset: StateAndRef<Asset>?,
    private val depth: Int
) : FlowLogic<Unit>() {
    @Suspendable
    override fun call() {
        for (i in 1..depth) {
            val mine = asset
            asset = if (mine == null) receiveAsset() else transfer(mine)
        }
    }

    @Suspendable
    private fun transfer(mine: StateAndRef<Asset>): StateAndRef<Asset>? {
        val state = mine.state.data
        val builder = TransactionBuilder(mine.state.notary)
            .addInputState(mine)
            .addOutputState(state.withOwner(session.counterparty, state.linearId.externalId!!))
            .addCommand(Command(SettlementContract.Commands.Transfer(), ourIdentity.owningKey))
        builder.verify(serviceHub)
        subFlow(FinalityFlow(serviceHub.signInitialTransaction(builder), listOf(session)))
        return null
    }

    @Suspendable
    private fun receiveAsset(): StateAndRef<Asset>? =
        subFlow(ReceiveFinalityFlow(session)).tx.outRefsOfType<Asset>().single()
}
