package dev.benchnet.oracle

import net.corda.core.contracts.BelongsToContract
import net.corda.core.contracts.CommandData
import net.corda.core.contracts.Contract
import net.corda.core.contracts.LinearState
import net.corda.core.contracts.TypeOnlyCommandData
import net.corda.core.contracts.UniqueIdentifier
import net.corda.core.contracts.requireSingleCommand
import net.corda.core.contracts.requireThat
import net.corda.core.identity.Party
import net.corda.core.transactions.LedgerTransaction
import java.time.LocalDate

/** The rate of a day, in basis points. As a command, it is the fact that the oracle signs. */
data class Fix(val day: LocalDate, val rate: Int) : CommandData

/** A deal between two parties at the rate that the oracle fixed. The oracle is no participant. */
@BelongsToContract(DealContract::class)
data class Deal(
    val fix: Fix,
    val proposer: Party,
    val counterparty: Party,
    val oracle: Party,
    override val linearId: UniqueIdentifier = UniqueIdentifier()
) : LinearState {
    override val participants: List<Party> get() = listOf(proposer, counterparty)
}

/** Each transaction creates one deal, signed by both parties, with a rate that the oracle of the deal signs. */
class DealContract : Contract {
    interface Commands : CommandData {
        class Agree : TypeOnlyCommandData(), Commands
    }

    override fun verify(tx: LedgerTransaction) {
        val agreement = tx.commands.requireSingleCommand<Commands.Agree>()
        val fix = tx.commands.requireSingleCommand<Fix>()
        requireThat {
            "no input is consumed when a deal is agreed" using tx.inputs.isEmpty()
            "exactly one deal is created" using (tx.outputStates.singleOrNull() is Deal)
            val deal = tx.outputsOfType<Deal>().single()
            "both parties and the oracle differ" using (setOf(deal.proposer, deal.counterparty, deal.oracle).size == 3)
            "the deal has the fixed rate" using (deal.fix == fix.value)
            "the oracle signs the rate" using (deal.oracle.owningKey in fix.signers)
            "both parties sign" using (agreement.signers.containsAll(deal.participants.map { it.owningKey }))
        }
    }
}
