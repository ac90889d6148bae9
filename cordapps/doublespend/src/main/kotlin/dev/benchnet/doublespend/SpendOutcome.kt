package dev.benchnet.doublespend

import net.corda.core.contracts.StateRef
import net.corda.core.crypto.SecureHash
import net.corda.core.flows.FlowException
import net.corda.core.flows.NotaryError
import net.corda.core.flows.NotaryException
import net.corda.core.serialization.CordaSerializable

/** The notary's answer to a request to notarize the transaction [spend]. */
@CordaSerializable
sealed class SpendOutcome {
    abstract val spend: SecureHash

    data class Notarized(override val spend: SecureHash) : SpendOutcome() {
        override fun toString() = "$spend was notarized"
    }

    /** Another transaction had consumed the states. */
    data class Conflict(override val spend: SecureHash, val consumed: List<StateRef>) : SpendOutcome() {
        override fun toString() = "$spend was rejected because of a conflict over ${consumed.joinToString()}"
    }

    /** The request failed for any other reason, so it is unknown whether the spend was notarized. */
    data class Failed(override val spend: SecureHash, val reason: String) : SpendOutcome() {
        override fun toString() = "$spend failed: $reason"
    }
}

/** Returns the outcome of a spend for which the notary flow threw the error. */
fun outcomeOf(spend: SecureHash, error: Exception): SpendOutcome {
    val cause = (error as? NotaryException)?.error
    return when (cause) {
        is NotaryError.Conflict -> SpendOutcome.Conflict(spend, cause.consumedStates.keys.toList())
        else -> SpendOutcome.Failed(spend, error.message ?: error.javaClass.name)
    }
}

/** The notary accepted two spends of one state. It has a class of its own because results count errors by class. */
class DoubleSpendException(message: String) : FlowException(message)

/**
 * Returns the outcome of the spend that was notarized. Throws a DoubleSpendException if both spends were notarized, and
 * another FlowException unless the other spend was rejected because of a conflict over the state.
 */
fun requireSingleSpend(state: StateRef, first: SpendOutcome, second: SpendOutcome): SpendOutcome.Notarized {
    val notarized = listOf(first, second).filterIsInstance<SpendOutcome.Notarized>()
    if (notarized.size == 2) throw DoubleSpendException("both spends of $state were notarized: ${first.spend}, ${second.spend}")
    val winner = notarized.singleOrNull() ?: throw FlowException("neither spend of $state was notarized: $first; $second")
    val loser = if (winner == first) second else first
    if (loser !is SpendOutcome.Conflict || state !in loser.consumed) throw FlowException("${winner.spend} spent $state, but $loser")
    return winner
}
