package dev.benchnet.iou

import net.corda.core.contracts.BelongsToContract
import net.corda.core.contracts.LinearState
import net.corda.core.contracts.UniqueIdentifier
import net.corda.core.identity.Party

/** An amount that the borrower owes the lender. It is never repaid: no later transaction consumes it. */
@BelongsToContract(IOUContract::class)
data class IOU(
    val value: Int,
    val lender: Party,
    val borrower: Party,
    override val linearId: UniqueIdentifier = UniqueIdentifier()
) : LinearState {
    override val participants: List<Party> get() = listOf(lender, borrower)
}
