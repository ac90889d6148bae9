package dev.benchnet.settlement

import dev.benchnet.settlement.SettlementContract.Commands
import net.corda.core.contracts.CommandWithParties
import net.corda.core.contracts.PrivacySalt
import net.corda.core.contracts.StateAndRef
import net.corda.core.contracts.StateRef
import net.corda.core.contracts.TransactionState
import net.corda.core.crypto.SecureHash
import net.corda.core.identity.Party
import net.corda.core.transactions.LedgerTransaction
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test

class SettlementContractTest {
    private val a = party("A")
    private val b = party("B")
    private val c = party("C")
    private val d = party("D")
    private val notary = party("Notary")
    private val cashOfA = Kind.Cash.issue(a, History.fresh(10))
    private val stockOfB = Kind.Stock.issue(b, History.fresh(10))
    private val cashOfC = Kind.Cash.issue(c, History.fresh(10))
    private val stockOfD = Kind.Stock.issue(d, History.fresh(10))

    private infix fun Asset.to(owner: Party) = withOwner(owner, History.SETTLED)

    @Suppress("DEPRECATION") // The constructor is for tests such as this one.
    private fun verify(command: Commands, inputs: List<Asset>, outputs: List<Asset>, signers: Set<Party>) {
        val consumed = inputs.map { StateAndRef(TransactionState(it, notary = notary), StateRef(SecureHash.randomSHA256(), 0)) }
        val made = outputs.map { TransactionState(it, notary = notary) }
        val signed = CommandWithParties(signers.map { it.owningKey }, emptyList(), command)
        SettlementContract().verify(LedgerTransaction(consumed, made, listOf(signed), emptyList(), SecureHash.randomSHA256(),
            notary, null, PrivacySalt()))
    }

    private fun accepts(command: Commands, inputs: List<Asset>, outputs: List<Asset>) =
        verify(command, inputs, outputs, (inputs + outputs).map { it.owner }.toSet())

    private fun refuses(rule: String, command: Commands, inputs: List<Asset>, outputs: List<Asset>,
                        signers: Set<Party> = setOf(a, b, c, d)) {
        val error = assertThrows(IllegalArgumentException::class.java) { verify(command, inputs, outputs, signers) }
        assertEquals("Failed requirement: $rule", error.message)
    }

    @Test
    fun `an asset is issued from nothing, one at a time, by its owner`() {
        accepts(Commands.Issue(), listOf(), listOf(cashOfA))
        refuses("nothing is given for an issue", Commands.Issue(), listOf(cashOfA), listOf(cashOfA))
        refuses("one asset is issued", Commands.Issue(), listOf(), listOf(cashOfA, stockOfB))
        refuses("the owners sign", Commands.Issue(), listOf(), listOf(cashOfA), setOf(b))
    }

    @Test
    fun `an asset is handed on by its owner and stays the same`() {
        verify(Commands.Transfer(), listOf(cashOfA), listOf(cashOfA to b), setOf(a))
        refuses("the owners sign", Commands.Transfer(), listOf(cashOfA), listOf(cashOfA to b), setOf(b))
        refuses("it gets another owner", Commands.Transfer(), listOf(cashOfA), listOf(cashOfA to a))
        refuses("it is the same asset", Commands.Transfer(), listOf(cashOfA), listOf(cashOfC to b))
        refuses("one asset is handed on", Commands.Transfer(), listOf(cashOfA, cashOfC), listOf(cashOfA to b))
    }

    @Test
    fun `any number of pairs settle at once`() {
        accepts(Commands.Settle(), listOf(cashOfA, stockOfB), listOf(cashOfA to b, stockOfB to a))
        accepts(Commands.Settle(), listOf(cashOfA, stockOfB, cashOfC, stockOfD),
            listOf(stockOfD to c, cashOfA to b, cashOfC to d, stockOfB to a))
        refuses("something is settled", Commands.Settle(), listOf(), listOf())
    }

    @Test
    fun `every asset is swapped for one of the other kind`() {
        val rule = "every asset is swapped for one of the other kind"
        refuses(rule, Commands.Settle(), listOf(cashOfA, cashOfC), listOf(cashOfA to c, cashOfC to a))
        refuses(rule, Commands.Settle(), listOf(cashOfA, stockOfB), listOf(cashOfA to c, stockOfB to a))
        refuses(rule, Commands.Settle(), listOf(cashOfA, stockOfB, cashOfC, stockOfD),
            listOf(cashOfA to b, stockOfB to c, cashOfC to d, stockOfD to a))
    }

    @Test
    fun `an asset moves only with its owner`() {
        val all = listOf(cashOfA, stockOfB)
        refuses("no asset comes into being or vanishes", Commands.Settle(), all, listOf(cashOfA to b))
        refuses("no asset comes into being or vanishes", Commands.Settle(), all, listOf(cashOfA to b, stockOfD to a))
        val stockOfA = Kind.Stock.issue(a, History.SETTLED)
        refuses("every owner gives one asset", Commands.Settle(), listOf(cashOfA, stockOfA), listOf(cashOfA to b, stockOfA to b))
        refuses("the owners sign", Commands.Settle(), all, listOf(cashOfA to b, stockOfB to a), setOf(a))
    }
}
