package dev.benchnet.iou

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Command
import net.corda.core.contracts.requireThat
import net.corda.core.flows.CollectSignaturesFlow
import net.corda.core.flows.FinalityFlow
import net.corda.core.flows.FlowException
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatedBy
import net.corda.core.flows.InitiatingFlow
import net.corda.core.flows.ReceiveFinalityFlow
import net.corda.core.flows.SignTransactionFlow
import net.corda.core.flows.StartableByRPC
import net.corda.core.identity.Party
import net.corda.core.transactions.SignedTransaction
import net.corda.core.transactions.TransactionBuilder

/**
 * Creates an IOU from the member that runs the flow to the lender. Both sign and record the transaction. It names the
 * network's notary but is not sent to it: Corda notarises only transactions with inputs or a time window.
 */
@InitiatingFlow
@StartableByRPC
class IOUFlow(private val value: Int, private val lender: Party) : FlowLogic<SignedTransaction>() {
    @Suspendable
    override fun call(): SignedTransaction {
        val notary = serviceHub.networkMapCache.notaryIdentities.firstOrNull()
            ?: throw FlowException("an IOU names a notary, but the network has none")
        val iou = IOU(value, lender, ourIdentity)
        val builder = TransactionBuilder(notary)
            .addOutputState(iou)
            .addCommand(Command(IOUContract.Commands.Create(), iou.participants.map { it.owningKey }))
        builder.verify(serviceHub)
        val session = initiateFlow(lender)
        val signed = subFlow(CollectSignaturesFlow(serviceHub.signInitialTransaction(builder), listOf(session)))
        return subFlow(FinalityFlow(signed, listOf(session)))
    }
}

/** The lender's side: signs any IOU that the contract allows. */
@InitiatedBy(IOUFlow::class)
class IOUAcceptor(private val borrower: FlowSession) : FlowLogic<SignedTransaction>() {
    @Suspendable
    override fun call(): SignedTransaction {
        val signed = subFlow(object : SignTransactionFlow(borrower) {
            override fun checkTransaction(stx: SignedTransaction) = requireThat {
                val iou = stx.coreTransaction.outputStates.singleOrNull() as? IOU
                "this transaction makes an IOU to this party" using (iou?.lender == ourIdentity)
                "its borrower is the one who asks" using (iou?.borrower == borrower.counterparty)
            }
        })
        return subFlow(ReceiveFinalityFlow(borrower, signed.id))
    }
}
