package dev.benchnet.attachment

import net.corda.core.contracts.BelongsToContract
import net.corda.core.contracts.CommandData
import net.corda.core.contracts.Contract
import net.corda.core.contracts.ContractState
import net.corda.core.contracts.TypeOnlyCommandData
import net.corda.core.contracts.requireSingleCommand
import net.corda.core.contracts.requireThat
import net.corda.core.crypto.SecureHash
import net.corda.core.identity.Party
import net.corda.core.transactions.LedgerTransaction

/** A document that the sender hands to the recipient. Its content is the attachment with this hash. */
@BelongsToContract(DocumentContract::class)
data class Document(val content: SecureHash, val sender: Party, val recipient: Party) : ContractState {
    override val participants: List<Party> get() = listOf(sender, recipient)
}

/** Each transaction creates one document, signed by its sender, and has its content as an attachment. */
class DocumentContract : Contract {
    interface Commands : CommandData {
        class Send : TypeOnlyCommandData(), Commands
    }

    override fun verify(tx: LedgerTransaction) {
        val command = tx.commands.requireSingleCommand<Commands.Send>()
        requireThat {
            "no input is consumed when a document is sent" using tx.inputs.isEmpty()
            "exactly one document is created" using (tx.outputStates.singleOrNull() is Document)
            val document = tx.outputsOfType<Document>().single()
            "sender and recipient are two parties" using (document.sender != document.recipient)
            "the content is attached" using tx.attachments.any { it.id == document.content }
            "the sender signs" using (document.sender.owningKey in command.signers)
        }
    }
}
