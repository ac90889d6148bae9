package dev.benchnet.attachment

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Command
import net.corda.core.crypto.SecureHash
import net.corda.core.flows.FinalityFlow
import net.corda.core.flows.FlowException
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatedBy
import net.corda.core.flows.InitiatingFlow
import net.corda.core.flows.ReceiveFinalityFlow
import net.corda.core.flows.StartableByRPC
import net.corda.core.identity.Party
import net.corda.core.transactions.SignedTransaction
import net.corda.core.transactions.TransactionBuilder

/**
 * Sends a document of [bytes] random bytes to the recipient, which fetches it as an attachment of the transaction. The
 * transaction names the network's notary but is not sent to it, since it has neither inputs nor a time window.
 */
@InitiatingFlow
@StartableByRPC
class SendAttachmentFlow(private val bytes: Int, private val recipient: Party) : FlowLogic<SignedTransaction>() {
    @Suspendable
    override fun call(): SignedTransaction {
        val parameters = serviceHub.networkParameters
        checkSize(bytes, parameters.maxMessageSize, parameters.maxTransactionSize)
        if (recipient == ourIdentity) throw FlowException("recipient: must be another member, but is ${recipient.name}")
        val notary = serviceHub.networkMapCache.notaryIdentities.firstOrNull()
            ?: throw FlowException("a document names a notary, but the network has none")
        val content = storeContent()
        val builder = TransactionBuilder(notary)
            .addOutputState(Document(content, ourIdentity, recipient))
            .addCommand(Command(DocumentContract.Commands.Send(), ourIdentity.owningKey))
            .addAttachment(content)
        builder.verify(serviceHub)
        val session = initiateFlow(recipient)
        return subFlow(FinalityFlow(serviceHub.signInitialTransaction(builder), listOf(session)))
    }

    /** Stores an archive that no other flow has. */
    private fun storeContent(): SecureHash = randomArchive(runId.uuid, bytes).inputStream().use {
        serviceHub.attachments.importAttachment(it, ourIdentity.name.toString(), "${runId.uuid}.zip")
    }
}

/** The recipient's side: fetches the attachment and records the transaction. */
@InitiatedBy(SendAttachmentFlow::class)
class AttachmentRecipient(private val sender: FlowSession) : FlowLogic<Unit>() {
    @Suspendable
    override fun call() {
        subFlow(ReceiveFinalityFlow(sender))
    }
}
