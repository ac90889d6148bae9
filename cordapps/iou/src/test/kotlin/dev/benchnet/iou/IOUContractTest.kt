package dev.benchnet.iou

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
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class IOUContractTest {
    private val lender = party("Lender")
    private val borrower = party("Borrower")
    private val notary = party("Notary")
    private val good = IOU(1, lender, borrower)

    private fun party(name: String) = Party(CordaX500Name(name, "London", "GB"), Crypto.generateKeyPair().public)

    @Suppress("DEPRECATION") // The constructor is for tests such as this one.
    private fun verify(outputs: List<IOU>, inputs: List<IOU> = emptyList(), signers: List<Party> = listOf(lender, borrower)) {
        val states = outputs.map { TransactionState(it, notary = notary) }
        val consumed = inputs.map { StateAndRef(TransactionState(it, notary = notary), StateRef(SecureHash.randomSHA256(), 0)) }
        val command = CommandWithParties(signers.map { it.owningKey }, emptyList(), IOUContract.Commands.Create())
        IOUContract().verify(LedgerTransaction(consumed, states, listOf(command), emptyList(), SecureHash.randomSHA256(),
            notary, null, PrivacySalt()))
    }

    private fun refuses(rule: String, vararg outputs: IOU, inputs: List<IOU> = emptyList(), signers: List<Party> = listOf(lender, borrower)) {
        val error = assertThrows(IllegalArgumentException::class.java) { verify(outputs.toList(), inputs, signers) }
        assertEquals("Failed requirement: $rule", error.message)
    }

    @Test
    fun `any value above 0 and below 100 is accepted`() {
        verify(listOf(good))
        verify(listOf(good.copy(value = 99)))
        refuses("the value of an IOU is above 0", good.copy(value = 0))
        refuses("the value of an IOU is below 100", good.copy(value = 100))
    }

    @Test
    fun `lender and borrower are two, and both sign`() {
        refuses("lender and borrower are two parties", good.copy(lender = borrower))
        refuses("lender and borrower sign", good, signers = listOf(borrower))
        refuses("lender and borrower sign", good, signers = listOf(lender))
    }

    @Test
    fun `an IOU is created without inputs`() {
        refuses("exactly one IOU is created", good, good.copy(value = 2))
        refuses("exactly one IOU is created")
        refuses("no input is consumed when an IOU is created", good, inputs = listOf(good))
    }

    @Test
    fun `both parties take part in it`() = assertTrue(good.participants.containsAll(listOf(lender, borrower)))
}
