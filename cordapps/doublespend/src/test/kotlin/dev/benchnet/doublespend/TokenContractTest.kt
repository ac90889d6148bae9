package dev.benchnet.doublespend

import dev.benchnet.doublespend.TokenContract.Commands
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
import org.junit.jupiter.api.Test

class TokenContractTest {
    private val issuer = party("Issuer")
    private val counterparty = party("Counterparty")
    private val stranger = party("Stranger")
    private val notary = party("Notary")
    private val issued = Token(issuer, counterparty, issuer)

    private fun party(name: String) = Party(CordaX500Name(name, "London", "GB"), Crypto.generateKeyPair().public)

    @Suppress("DEPRECATION") // The constructor is for tests such as this one.
    private fun verify(command: Commands, inputs: List<Token>, outputs: List<Token>, signer: Party) {
        val consumed = inputs.map { StateAndRef(TransactionState(it, notary = notary), StateRef(SecureHash.randomSHA256(), 0)) }
        val created = outputs.map { TransactionState(it, notary = notary) }
        val signed = CommandWithParties(listOf(signer.owningKey), emptyList(), command)
        TokenContract().verify(LedgerTransaction(consumed, created, listOf(signed), emptyList(), SecureHash.randomSHA256(),
            notary, null, PrivacySalt()))
    }

    private fun issue(vararg outputs: Token, inputs: List<Token> = emptyList(), signer: Party = issuer) =
        verify(Commands.Issue(), inputs, outputs.toList(), signer)

    private fun spend(output: Token, inputs: List<Token> = listOf(issued), signer: Party = output.owner) =
        verify(Commands.Spend(), inputs, listOf(output), signer)

    private fun refuses(rule: String, transaction: () -> Unit) {
        val error = assertThrows(IllegalArgumentException::class.java) { transaction() }
        assertEquals("Failed requirement: $rule", error.message)
    }

    @Test
    fun `both members are participants`() = assertEquals(listOf(issuer, counterparty), issued.participants)

    @Test
    fun `an issuer issues a token`() = issue(issued)

    @Test
    fun `an issue creates one token`() {
        refuses("exactly one token is created") { issue() }
        refuses("exactly one token is created") { issue(issued, issued) }
    }

    @Test
    fun `an issue consumes nothing`() =
        refuses("no input is consumed when a token is issued") { issue(issued, inputs = listOf(issued)) }

    @Test
    fun `a token has two participants`() = refuses("the participants are two parties") { issue(issued.copy(counterparty = issuer)) }

    @Test
    fun `a token is issued to its issuer`() = refuses("the issuer is the first owner") { issue(issued.copy(owner = counterparty)) }

    @Test
    fun `the issuer signs an issue`() = refuses("the issuer signs") { issue(issued, signer = counterparty) }

    @Test
    fun `either participant spends a token`() {
        spend(issued)
        spend(issued.copy(owner = counterparty))
    }

    @Test
    fun `a spend consumes one token`() {
        refuses("exactly one token is consumed") { spend(issued, inputs = emptyList()) }
        refuses("exactly one token is consumed") { spend(issued, inputs = listOf(issued, issued)) }
    }

    @Test
    fun `a spend changes no participant`() {
        refuses("only the owner changes") { spend(issued.copy(issuer = stranger)) }
        refuses("only the owner changes") { spend(issued.copy(counterparty = stranger)) }
    }

    @Test
    fun `no stranger spends a token`() = refuses("the new owner is a participant") { spend(issued.copy(owner = stranger)) }

    @Test
    fun `the new owner signs a spend`() {
        refuses("the new owner signs") { spend(issued, signer = counterparty) }
        refuses("the new owner signs") { spend(issued.copy(owner = counterparty), signer = issuer) }
    }
}
