package dev.benchnet.iou

import net.corda.core.contracts.BelongsToContract
import net.corda.core.contracts.LinearState
import net.corda.core.contracts.UniqueIdentifier
import net.corda.core.identity.Party

/** What the borrower owes the lender. It is never paid back: no later transaction has it as an input. */
@BelongsToContract(IOUContract::class)
data class IOU(
    val value: Int,
    val lender: Party,
    val borrower: Party,
    override val linearId: UniqueIdentifier = UniqueIdentifier()
) : LinearState {
    override val participants: List<Party> get() = listOf(lender, borrower)
}
