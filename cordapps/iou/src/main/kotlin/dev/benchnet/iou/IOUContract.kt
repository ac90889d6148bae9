package dev.benchnet.iou

import net.corda.core.contracts.CommandData
import net.corda.core.contracts.Contract
import net.corda.core.contracts.TypeOnlyCommandData
import net.corda.core.contracts.requireSingleCommand
import net.corda.core.contracts.requireThat
import net.corda.core.transactions.LedgerTransaction

/** Each transaction creates one IOU, signed by both parties, with a value below [LIMIT]. */
class IOUContract : Contract {
    interface Commands : CommandData {
        class Create : TypeOnlyCommandData(), Commands
    }

    override fun verify(tx: LedgerTransaction) {
        val command = tx.commands.requireSingleCommand<Commands.Create>()
        requireThat {
            "no input is consumed when an IOU is created" using tx.inputs.isEmpty()
            "exactly one IOU is created" using (tx.outputStates.singleOrNull() is IOU)
            val iou = tx.outputsOfType<IOU>().single()
            "lender and borrower are two parties" using (iou.lender != iou.borrower)
            "the value of an IOU is above 0" using (iou.value > 0)
            "the value of an IOU is below $LIMIT" using (iou.value < LIMIT)
            "lender and borrower sign" using (command.signers.containsAll(iou.participants.map { it.owningKey }))
        }
    }

    companion object {
        /** The lowest value that the contract rejects. */
        const val LIMIT = 100
    }
}
