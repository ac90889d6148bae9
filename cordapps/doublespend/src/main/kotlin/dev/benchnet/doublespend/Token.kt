package dev.benchnet.doublespend

import net.corda.core.contracts.BelongsToContract
import net.corda.core.contracts.CommandData
import net.corda.core.contracts.Contract
import net.corda.core.contracts.ContractState
import net.corda.core.contracts.TypeOnlyCommandData
import net.corda.core.contracts.requireSingleCommand
import net.corda.core.contracts.requireThat
import net.corda.core.identity.Party
import net.corda.core.transactions.LedgerTransaction

/** A token that either of two members may spend. Its owner is the member that issued or last spent it. */
@BelongsToContract(TokenContract::class)
data class Token(val issuer: Party, val counterparty: Party, val owner: Party) : ContractState {
    override val participants: List<Party> get() = listOf(issuer, counterparty)
}

/** Tokens are issued by their issuer, or spent by one of their participants, which becomes the owner. */
class TokenContract : Contract {
    interface Commands : CommandData {
        class Issue : TypeOnlyCommandData(), Commands
        class Spend : TypeOnlyCommandData(), Commands
    }

    override fun verify(tx: LedgerTransaction) {
        val command = tx.commands.requireSingleCommand<Commands>()
        requireThat { "exactly one token is created" using (tx.outputStates.singleOrNull() is Token) }
        val token = tx.outputsOfType<Token>().single()
        when (command.value) {
            is Commands.Issue -> requireThat {
                "no input is consumed when a token is issued" using tx.inputs.isEmpty()
                "the participants are two parties" using (token.issuer != token.counterparty)
                "the issuer is the first owner" using (token.owner == token.issuer)
                "the issuer signs" using (token.issuer.owningKey in command.signers)
            }
            is Commands.Spend -> requireThat {
                "exactly one token is consumed" using (tx.inputStates.singleOrNull() is Token)
                "only the owner changes" using (tx.inputsOfType<Token>().single().copy(owner = token.owner) == token)
                "the new owner is a participant" using (token.owner in token.participants)
                "the new owner signs" using (token.owner.owningKey in command.signers)
            }
        }
    }
}
