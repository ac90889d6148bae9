package dev.benchnet.payment

import dev.benchnet.payment.CoinContract.Commands
import net.corda.core.contracts.Amount
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

class CoinContractTest {
    private val bank = party("Bank")
    private val otherBank = party("Other Bank")
    private val payer = party("Payer")
    private val recipient = party("Recipient")
    private val notary = party("Notary")

    private fun party(name: String) = Party(CordaX500Name(name, "London", "GB"), Crypto.generateKeyPair().public)

    private fun coin(owner: Party, quantity: Long, issuer: Party = bank) = Coin(owner, Amount(quantity, issuer))

    @Suppress("DEPRECATION") // The constructor is for tests such as this one.
    private fun verify(command: Commands, inputs: List<Coin>, outputs: List<Coin>, signer: Party) {
        val consumed = inputs.map { StateAndRef(TransactionState(it, notary = notary), StateRef(SecureHash.randomSHA256(), 0)) }
        val created = outputs.map { TransactionState(it, notary = notary) }
        val signed = CommandWithParties(listOf(signer.owningKey), emptyList(), command)
        CoinContract().verify(LedgerTransaction(consumed, created, listOf(signed), emptyList(), SecureHash.randomSHA256(),
            notary, null, PrivacySalt()))
    }

    private fun issue(outputs: List<Coin>, inputs: List<Coin> = emptyList(), signer: Party = bank) =
        verify(Commands.Issue(), inputs, outputs, signer)

    private fun pay(inputs: List<Coin>, outputs: List<Coin>, signer: Party = payer) =
        verify(Commands.Pay(), inputs, outputs, signer)

    private fun refuses(rule: String, transaction: () -> Unit) {
        val error = assertThrows(IllegalArgumentException::class.java) { transaction() }
        assertEquals("Failed requirement: $rule", error.message)
    }

    @Test
    fun `coins are issued from nothing by their issuer`() {
        issue(listOf(coin(payer, 100), coin(payer, 1)))
        refuses("no coin is consumed by an issue") { issue(listOf(coin(payer, 2)), inputs = listOf(coin(payer, 1))) }
        refuses("the issuers sign") { issue(listOf(coin(payer, 1)), signer = payer) }
        refuses("the issuers sign") { issue(listOf(coin(payer, 1), coin(payer, 1, otherBank))) }
    }

    @Test
    fun `a payment divides a coin into any number of coins`() {
        for (states in listOf(1, 10, 100)) pay(listOf(coin(payer, 200)), List(states) { coin(recipient, 1) } + coin(payer, 200L - states))
        pay(listOf(coin(payer, 1)), listOf(coin(recipient, 1)))
        refuses("the owners sign") { pay(listOf(coin(payer, 1)), listOf(coin(recipient, 1)), signer = recipient) }
        refuses("the owners sign") { pay(listOf(coin(payer, 1), coin(recipient, 1)), listOf(coin(payer, 2))) }
    }

    @Test
    fun `a payment keeps the sum of each issuer`() {
        val rule = "the sum of each issuer's coins stays the same"
        refuses(rule) { pay(listOf(coin(payer, 10)), listOf(coin(recipient, 9))) }
        refuses(rule) { pay(listOf(coin(payer, 10)), listOf(coin(recipient, 10), coin(payer, 1))) }
        refuses(rule) { pay(listOf(coin(payer, 10)), listOf(coin(recipient, 10, otherBank))) }
        refuses(rule) { pay(emptyList(), listOf(coin(recipient, 1))) }
        val huge = Long.MAX_VALUE
        assertThrows(ArithmeticException::class.java) {
            pay(listOf(coin(payer, 1)), listOf(coin(payer, huge), coin(payer, huge), coin(payer, 3)))
        }
    }

    @Test
    fun `coins have amounts above 0`() {
        val rule = "the amount of a coin is above 0"
        refuses(rule) { issue(listOf(coin(payer, 0))) }
        refuses(rule) { pay(listOf(coin(payer, 1)), listOf(coin(recipient, 1), coin(payer, 0))) }
        refuses("at least one coin is created") { issue(emptyList()) }
        refuses("at least one coin is created") { pay(listOf(coin(payer, 1)), emptyList()) }
    }
}
