package dev.benchnet.oracle

import net.corda.core.contracts.Command
import net.corda.core.contracts.CommandData
import net.corda.core.contracts.CommandWithParties
import net.corda.core.contracts.PrivacySalt
import net.corda.core.contracts.StateAndRef
import net.corda.core.contracts.StateRef
import net.corda.core.contracts.TransactionState
import net.corda.core.crypto.Crypto
import net.corda.core.crypto.SecureHash
import net.corda.core.identity.CordaX500Name
import net.corda.core.identity.Party
import net.corda.core.transactions.LedgerTransaction
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.time.LocalDate

class OracleTest {
    private val proposer = party("Proposer")
    private val counterparty = party("Counterparty")
    private val oracle = party("Oracle")
    private val notary = party("Notary")
    private val today = LocalDate.of(2026, 11, 24)
    private val fix = fixRate(today)
    private val good = Deal(fix, proposer, counterparty, oracle)

    private fun party(name: String) = Party(CordaX500Name(name, "London", "GB"), Crypto.generateKeyPair().public)

    private fun signed(command: CommandData, vararg signers: Party) =
        CommandWithParties(signers.map { it.owningKey }, emptyList(), command)

    private fun agreed(vararg signers: Party) = signed(DealContract.Commands.Agree(), *signers)

    @Suppress("DEPRECATION") // The constructor is for tests such as this one.
    private fun verify(outputs: List<Deal>, inputs: List<Deal> = emptyList(),
                       agreement: CommandWithParties<*> = agreed(proposer, counterparty), rate: CommandWithParties<*> = signed(fix, oracle)) {
        val states = outputs.map { TransactionState(it, notary = notary) }
        val consumed = inputs.map { StateAndRef(TransactionState(it, notary = notary), StateRef(SecureHash.randomSHA256(), 0)) }
        DealContract().verify(LedgerTransaction(consumed, states, listOf(agreement, rate), emptyList(), SecureHash.randomSHA256(),
            notary, null, PrivacySalt()))
    }

    private fun refuses(rule: String, transaction: () -> Unit) {
        val error = assertThrows(IllegalArgumentException::class.java) { transaction() }
        assertEquals("Failed requirement: $rule", error.message)
    }

    @Test
    fun `a deal has a rate that its oracle signs`() {
        verify(listOf(good))
        refuses("the oracle signs the rate") { verify(listOf(good), rate = signed(fix, proposer)) }
        refuses("the oracle signs the rate") { verify(listOf(good.copy(oracle = notary))) }
        refuses("the deal has the fixed rate") { verify(listOf(good.copy(fix = fix.copy(rate = fix.rate + 1)))) }
        refuses("the deal has the fixed rate") { verify(listOf(good), rate = signed(fixRate(today.plusDays(1)), oracle)) }
        assertThrows(IllegalArgumentException::class.java) { verify(listOf(good), rate = agreed(oracle)) }
    }

    @Test
    fun `a deal is agreed by two parties other than the oracle`() {
        assertEquals(listOf(proposer, counterparty), good.participants)
        refuses("both parties sign") { verify(listOf(good), agreement = agreed(proposer)) }
        refuses("both parties and the oracle differ") { verify(listOf(good.copy(counterparty = oracle))) }
        refuses("both parties and the oracle differ") { verify(listOf(good.copy(counterparty = proposer))) }
        refuses("exactly one deal is created") { verify(listOf(good, good)) }
        refuses("no input is consumed when a deal is agreed") { verify(listOf(good), listOf(good)) }
    }

    @Test
    fun `the oracle signs nothing but correct rates`() {
        val key = oracle.owningKey
        assertTrue(isCorrectFix(Command(fix, key), key))
        assertFalse(isCorrectFix(Command(fix.copy(rate = fix.rate + 1), key), key))
        assertFalse(isCorrectFix(Command(fix, proposer.owningKey), key))
        assertFalse(isCorrectFix(Command(DealContract.Commands.Agree(), key), key))
        assertFalse(isCorrectFix(TransactionState(good, notary = notary), key))
    }

    @Test
    fun `rates vary within bounds`() {
        assertNotEquals(fix.rate, fixRate(today.plusDays(1)).rate)
        for (days in -1000L..1000L) assertTrue(fixRate(today.plusDays(days)).rate in 100..499)
    }
}
