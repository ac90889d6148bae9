package dev.benchnet.doublespend

import dev.benchnet.doublespend.SpendOutcome.Conflict
import dev.benchnet.doublespend.SpendOutcome.Failed
import dev.benchnet.doublespend.SpendOutcome.Notarized
import net.corda.core.contracts.StateRef
import net.corda.core.contracts.TimeWindow
import net.corda.core.crypto.SecureHash
import net.corda.core.flows.FlowException
import net.corda.core.flows.NotaryError
import net.corda.core.flows.NotaryException
import net.corda.core.flows.StateConsumptionDetails
import net.corda.core.flows.UnexpectedFlowEndException
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import java.time.Instant

class SpendOutcomeTest {
    private val state = StateRef(SecureHash.randomSHA256(), 0)
    private val otherState = StateRef(SecureHash.randomSHA256(), 0)
    private val first = SecureHash.randomSHA256()
    private val second = SecureHash.randomSHA256()

    /** Checks that the outcomes fail the test of the notary in either order. The message names them in their order. */
    private fun refuses(one: SpendOutcome, other: SpendOutcome, message: (SpendOutcome, SpendOutcome) -> String) {
        for ((a, b) in listOf(one to other, other to one)) {
            val error = assertThrows(FlowException::class.java) { requireSingleSpend(state, a, b) }
            assertEquals(message(a, b), error.message)
            assertEquals(one is Notarized && other is Notarized, error is DoubleSpendException)
        }
    }

    @Test
    fun `one spend is notarized and the other conflicts`() {
        val winner = Notarized(first)
        assertEquals(winner, requireSingleSpend(state, winner, Conflict(second, listOf(state))))
        assertEquals(winner, requireSingleSpend(state, Conflict(second, listOf(state)), winner))
    }

    @Test
    fun `two notarized spends are a violation`() = refuses(Notarized(first), Notarized(second)) { a, b ->
        "both spends of $state were notarized: ${a.spend}, ${b.spend}"
    }

    @Test
    fun `two conflicts are an error`() = refuses(Conflict(first, listOf(state)), Conflict(second, listOf(state))) { a, b ->
        "neither spend of $state was notarized: ${a.spend} was rejected because of a conflict over $state;" +
            " ${b.spend} was rejected because of a conflict over $state"
    }

    @Test
    fun `a failing notary is an error`() = refuses(Failed(first, "down"), Failed(second, "down")) { a, b ->
        "neither spend of $state was notarized: ${a.spend} failed: down; ${b.spend} failed: down"
    }

    @Test
    fun `a loss other than by a conflict is an error`() = refuses(Notarized(first), Failed(second, "down")) { _, _ ->
        "$first spent $state, but $second failed: down"
    }

    @Test
    fun `a conflict over another state is an error`() = refuses(Notarized(first), Conflict(second, listOf(otherState))) { _, _ ->
        "$first spent $state, but $second was rejected because of a conflict over $otherState"
    }

    @Test
    fun `a conflict keeps the consumed states`() {
        val consumed = mapOf(state to StateConsumptionDetails(SecureHash.randomSHA256()))
        assertEquals(Conflict(first, listOf(state)), outcomeOf(first, NotaryException(NotaryError.Conflict(first, consumed), first)))
    }

    @Test
    fun `other errors of the notary are no conflicts`() {
        val window = TimeWindow.fromOnly(Instant.EPOCH)
        for (error in listOf<Exception>(
            NotaryException(NotaryError.General(Exception("overloaded")), first),
            NotaryException(NotaryError.TimeWindowInvalid(Instant.EPOCH, window), first),
            UnexpectedFlowEndException("Counter-flow errored")
        )) assertEquals(Failed(first, error.message!!), outcomeOf(first, error))
    }
}
