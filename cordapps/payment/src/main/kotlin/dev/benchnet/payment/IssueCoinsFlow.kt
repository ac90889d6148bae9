package dev.benchnet.payment

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Amount
import net.corda.core.contracts.Command
import net.corda.core.flows.FinalityFlow
import net.corda.core.flows.FlowException
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.StartableByRPC
import net.corda.core.identity.Party
import net.corda.core.transactions.TransactionBuilder

/**
 * The set-up, run on the payer: issues [coins] coins of [amount] to itself and returns their number. Each has its own
 * transaction, so that a first payment is no larger to resolve than a later one.
 */
@StartableByRPC
class IssueCoinsFlow(private val coins: Int, private val amount: Long) : FlowLogic<Int>() {
    @Suspendable
    override fun call(): Int {
        if (coins < 1) throw FlowException("coins: must be at least 1, but is $coins")
        if (amount < 1) throw FlowException("amount: must be at least 1, but is $amount")
        val notary = serviceHub.networkMapCache.notaryIdentities.firstOrNull()
            ?: throw FlowException("payments are notarized, but the network has no notary")
        for (i in 1..coins) issueCoin(notary)
        return coins
    }

    @Suspendable
    private fun issueCoin(notary: Party) {
        val builder = TransactionBuilder(notary)
            .addOutputState(Coin(ourIdentity, Amount(amount, ourIdentity)))
            .addCommand(Command(CoinContract.Commands.Issue(), ourIdentity.owningKey))
        builder.verify(serviceHub)
        subFlow(FinalityFlow(serviceHub.signInitialTransaction(builder), emptyList()))
    }
}
