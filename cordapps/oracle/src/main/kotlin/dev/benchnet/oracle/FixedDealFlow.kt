package dev.benchnet.oracle

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Command
import net.corda.core.contracts.requireThat
import net.corda.core.flows.CollectSignaturesFlow
import net.corda.core.flows.FinalityFlow
import net.corda.core.flows.FlowException
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatedBy
import net.corda.core.flows.InitiatingFlow
import net.corda.core.flows.ReceiveFinalityFlow
import net.corda.core.flows.SignTransactionFlow
import net.corda.core.flows.StartableByRPC
import net.corda.core.identity.Party
import net.corda.core.transactions.SignedTransaction
import net.corda.core.transactions.TransactionBuilder
import java.time.ZoneOffset
import java.util.function.Predicate

/**
 * Agrees a deal with the counterparty at today's rate of the oracle. The oracle answers twice: with the rate, and with
 * its signature of the transaction, of which it sees only the rate. The transaction is not notarized, since it has
 * neither inputs nor a time window.
 */
@InitiatingFlow
@StartableByRPC
class FixedDealFlow(private val oracle: Party, private val counterparty: Party) : FlowLogic<SignedTransaction>() {
    @Suspendable
    override fun call(): SignedTransaction {
        if (setOf(ourIdentity, oracle, counterparty).size < 3) {
            throw FlowException("oracle and counterparty: must be two other members, but are ${oracle.name} and ${counterparty.name}")
        }
        val notary = serviceHub.networkMapCache.notaryIdentities.firstOrNull()
            ?: throw FlowException("a deal names a notary, but the network has none")
        val today = serviceHub.clock.instant().atZone(ZoneOffset.UTC).toLocalDate()
        val deal = Deal(subFlow(QueryFixFlow(oracle, today)), ourIdentity, counterparty, oracle)
        val builder = TransactionBuilder(notary)
            .addOutputState(deal)
            .addCommand(Command(DealContract.Commands.Agree(), deal.participants.map { it.owningKey }))
            .addCommand(Command(deal.fix, oracle.owningKey))
        builder.verify(serviceHub)
        val signed = serviceHub.signInitialTransaction(builder)
        val tearOff = signed.buildFilteredTransaction(Predicate { it is Command<*> && it.value is Fix })
        val fixed = signed + subFlow(SignFixFlow(oracle, tearOff))
        val session = initiateFlow(counterparty)
        return subFlow(FinalityFlow(subFlow(CollectSignaturesFlow(fixed, listOf(session))), listOf(session)))
    }
}

/** The counterparty's side: signs any deal with it that the contract allows. */
@InitiatedBy(FixedDealFlow::class)
class DealAcceptor(private val proposer: FlowSession) : FlowLogic<SignedTransaction>() {
    @Suspendable
    override fun call(): SignedTransaction {
        val signed = subFlow(object : SignTransactionFlow(proposer) {
            override fun checkTransaction(stx: SignedTransaction) = requireThat {
                val deal = stx.coreTransaction.outputStates.singleOrNull() as? Deal
                "this transaction makes a deal with this party" using (deal?.counterparty == ourIdentity)
                "its proposer is the one who asks" using (deal?.proposer == proposer.counterparty)
            }
        })
        return subFlow(ReceiveFinalityFlow(proposer, signed.id))
    }
}
