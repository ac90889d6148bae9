package dev.benchnet.settlement

import net.corda.core.contracts.CommandData
import net.corda.core.contracts.Contract
import net.corda.core.contracts.TypeOnlyCommandData
import net.corda.core.contracts.requireSingleCommand
import net.corda.core.contracts.requireThat
import net.corda.core.transactions.LedgerTransaction

/** Assets are issued, transferred one at a time, or settled: swapped within any number of pairs in one transaction. */
class SettlementContract : Contract {
    interface Commands : CommandData {
        class Issue : TypeOnlyCommandData(), Commands
        class Transfer : TypeOnlyCommandData(), Commands
        class Settle : TypeOnlyCommandData(), Commands
    }

    override fun verify(tx: LedgerTransaction) {
        val command = tx.commands.requireSingleCommand<Commands>()
        val given = tx.inputsOfType<Asset>()
        val received = tx.outputsOfType<Asset>()
        when (command.value) {
            is Commands.Issue -> verifyIssue(given, received)
            is Commands.Transfer -> verifyTransfer(given, received)
            is Commands.Settle -> verifySettlement(given, received)
        }
        val owners = (if (command.value is Commands.Issue) received else given).map { it.owner.owningKey }
        requireThat { "the owners sign" using command.signers.containsAll(owners) }
    }

    private fun verifyIssue(given: List<Asset>, received: List<Asset>) = requireThat {
        "nothing is given for an issue" using given.isEmpty()
        "one asset is issued" using (received.size == 1)
    }

    private fun verifyTransfer(given: List<Asset>, received: List<Asset>) = requireThat {
        "one asset is handed on" using (given.size == 1 && received.size == 1)
        "it is the same asset" using same(given.single(), received.single())
        "it gets another owner" using (given.single().owner != received.single().owner)
    }

    private fun verifySettlement(given: List<Asset>, received: List<Asset>) = requireThat {
        "something is settled" using given.isNotEmpty()
        "no asset comes into being or vanishes" using
            (given.size == received.size && given.all { asset -> received.count { same(asset, it) } == 1 })
        "every owner gives one asset" using (given.map { it.owner }.toSet().size == given.size)
        "every asset is swapped for one of the other kind" using given.all { asset ->
            val taker = received.single { same(asset, it) }.owner
            val back = given.singleOrNull { it.owner == taker }
            back != null && back.kind == asset.kind.other && received.single { same(back, it) }.owner == asset.owner
        }
    }

    private fun same(one: Asset, other: Asset) = one.kind == other.kind && one.linearId.id == other.linearId.id
}
