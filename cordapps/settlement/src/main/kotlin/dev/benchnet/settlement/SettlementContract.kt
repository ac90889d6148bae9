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
        val inputs = tx.inputsOfType<Asset>()
        val outputs = tx.outputsOfType<Asset>()
        when (command.value) {
            is Commands.Issue -> verifyIssue(inputs, outputs)
            is Commands.Transfer -> verifyTransfer(inputs, outputs)
            is Commands.Settle -> verifySettlement(inputs, outputs)
        }
        val owners = (if (command.value is Commands.Issue) outputs else inputs).map { it.owner.owningKey }
        requireThat { "the owners sign" using command.signers.containsAll(owners) }
    }

    private fun verifyIssue(inputs: List<Asset>, outputs: List<Asset>) = requireThat {
        "nothing is given for an issue" using inputs.isEmpty()
        "one asset is issued" using (outputs.size == 1)
    }

    private fun verifyTransfer(inputs: List<Asset>, outputs: List<Asset>) = requireThat {
        "one asset is handed on" using (inputs.size == 1 && outputs.size == 1)
        "it is the same asset" using isSame(inputs.single(), outputs.single())
        "it gets another owner" using (inputs.single().owner != outputs.single().owner)
    }

    private fun verifySettlement(inputs: List<Asset>, outputs: List<Asset>) = requireThat {
        "something is settled" using inputs.isNotEmpty()
        "no asset comes into being or vanishes" using
            (inputs.size == outputs.size && inputs.all { asset -> outputs.count { isSame(asset, it) } == 1 })
        "every owner gives one asset" using (inputs.map { it.owner }.toSet().size == inputs.size)
        "every asset is swapped for one of the other kind" using inputs.all { asset ->
            val taker = outputs.single { isSame(asset, it) }.owner
            val back = inputs.singleOrNull { it.owner == taker }
            back != null && back.kind == asset.kind.other && outputs.single { isSame(back, it) }.owner == asset.owner
        }
    }

    private fun isSame(one: Asset, other: Asset) = one.kind == other.kind && one.linearId.id == other.linearId.id
}
