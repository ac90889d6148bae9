package dev.benchnet.payment

import net.corda.core.contracts.CommandData
import net.corda.core.contracts.Contract
import net.corda.core.contracts.TypeOnlyCommandData
import net.corda.core.contracts.requireSingleCommand
import net.corda.core.contracts.requireThat
import net.corda.core.identity.Party
import net.corda.core.transactions.LedgerTransaction

/** Coins are issued, or paid: divided and merged among any owners, with the same sum for each issuer. */
class CoinContract : Contract {
    interface Commands : CommandData {
        class Issue : TypeOnlyCommandData(), Commands
        class Pay : TypeOnlyCommandData(), Commands
    }

    override fun verify(tx: LedgerTransaction) {
        val command = tx.commands.requireSingleCommand<Commands>()
        val inputs = tx.inputsOfType<Coin>()
        val outputs = tx.outputsOfType<Coin>()
        requireThat {
            "at least one coin is created" using outputs.isNotEmpty()
            "the amount of a coin is above 0" using outputs.all { it.amount.quantity > 0 }
        }
        when (command.value) {
            is Commands.Issue -> requireThat {
                "no coin is consumed by an issue" using inputs.isEmpty()
                "the issuers sign" using command.signers.containsAll(outputs.map { it.issuer.owningKey })
            }
            is Commands.Pay -> requireThat {
                "the sum of each issuer's coins stays the same" using (sumByIssuer(inputs) == sumByIssuer(outputs))
                "the owners sign" using command.signers.containsAll(inputs.map { it.owner.owningKey })
            }
        }
    }

    /** Throws an ArithmeticException if a sum exceeds a Long. */
    private fun sumByIssuer(coins: List<Coin>): Map<Party, Long> =
        coins.groupBy { it.issuer }.mapValues { (_, own) -> own.fold(0L) { sum, coin -> Math.addExact(sum, coin.amount.quantity) } }
}
