package dev.benchnet.doublespend

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Command
import net.corda.core.contracts.StateAndRef
import net.corda.core.contracts.StateRef
import net.corda.core.flows.FinalityFlow
import net.corda.core.flows.FlowException
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatedBy
import net.corda.core.flows.InitiatingFlow
import net.corda.core.flows.NotaryFlow
import net.corda.core.flows.ReceiveFinalityFlow
import net.corda.core.flows.StartableByRPC
import net.corda.core.flows.UnexpectedFlowEndException
import net.corda.core.identity.Party
import net.corda.core.serialization.CordaSerializable
import net.corda.core.transactions.SignedTransaction
import net.corda.core.transactions.TransactionBuilder
import net.corda.core.utilities.unwrap

/**
 * Tests the notary with a double spend. Issues a token, which is not notarized, and then spends it on both members at
 * the same time, each in a transaction of its own. Fails unless the notary accepts exactly one of them. Both members
 * record the accepted one. Returns the issue.
 *
 * The spends are requested by two nodes because open-source Corda runs the flows of a node on one thread.
 */
@InitiatingFlow
@StartableByRPC
class SpendTwiceFlow(private val counterparty: Party) : FlowLogic<SignedTransaction>() {
    @Suspendable
    override fun call(): SignedTransaction {
        if (counterparty == ourIdentity) throw FlowException("counterparty: must be another member, but is ${counterparty.name}")
        val session = initiateFlow(counterparty)
        val issue = subFlow(FinalityFlow(signIssue(), listOf(session)))
        val token = issue.tx.outRef<Token>(0)
        session.send(token.ref)
        val own = subFlow(NotarizeSpendFlow(signSpend(token)))
        val other = session.receive<SpendAttempt>().unwrap { checkAttempt(it, token.ref) }
        val winner = requireSingleSpend(token.ref, own.outcome, other.outcome)
        // The transaction has the notary's signature, so FinalityFlow only records it on both members.
        subFlow(FinalityFlow(if (winner == own.outcome) own.transaction else other.transaction, listOf(session)))
        return issue
    }

    private fun signIssue(): SignedTransaction {
        val notary = serviceHub.networkMapCache.notaryIdentities.firstOrNull()
            ?: throw FlowException("double spends are sent to a notary, but the network has none")
        val builder = TransactionBuilder(notary)
            .addOutputState(Token(ourIdentity, counterparty, ourIdentity))
            .addCommand(Command(TokenContract.Commands.Issue(), ourIdentity.owningKey))
        builder.verify(serviceHub)
        return serviceHub.signInitialTransaction(builder)
    }

    private fun checkAttempt(attempt: SpendAttempt, token: StateRef): SpendAttempt {
        val (transaction, outcome) = attempt
        if (transaction.id != outcome.spend || transaction.inputs != listOf(token)) {
            throw FlowException("${counterparty.name} reported $outcome, but sent ${transaction.id}, which spends ${transaction.inputs}")
        }
        if (outcome is SpendOutcome.Notarized) transaction.verifyRequiredSignatures()
        return attempt
    }
}

/** The counterparty's side: prepares its spend, requests it on the signal of the initiator, and reports the outcome. */
@InitiatedBy(SpendTwiceFlow::class)
class SecondSpender(private val initiator: FlowSession) : FlowLogic<Unit>() {
    @Suspendable
    override fun call() {
        val token = subFlow(ReceiveFinalityFlow(initiator)).tx.outRef<Token>(0)
        val spend = signSpend(token)
        initiator.receive<StateRef>().unwrap {
            if (it != token.ref) throw FlowException("${initiator.counterparty.name} issued ${token.ref}, but spends $it")
        }
        initiator.send(subFlow(NotarizeSpendFlow(spend)))
        subFlow(ReceiveFinalityFlow(initiator))
    }
}

/** A spend and its outcome. A notarized spend has the signatures of the notary. */
@CordaSerializable
data class SpendAttempt(val transaction: SignedTransaction, val outcome: SpendOutcome)

/** Sends a spend to the notary and returns the outcome. Does not record the transaction. */
class NotarizeSpendFlow(private val spend: SignedTransaction) : FlowLogic<SpendAttempt>() {
    @Suspendable
    override fun call(): SpendAttempt {
        try {
            val signatures = subFlow(NotaryFlow.Client(spend))
            return SpendAttempt(spend + signatures, SpendOutcome.Notarized(spend.id))
        } catch (e: FlowException) {
            return SpendAttempt(spend, outcomeOf(spend.id, e))
        } catch (e: UnexpectedFlowEndException) {
            return SpendAttempt(spend, outcomeOf(spend.id, e))
        }
    }
}

/** Returns a signed transaction that makes this member the owner of the token. */
private fun FlowLogic<*>.signSpend(token: StateAndRef<Token>): SignedTransaction {
    val builder = TransactionBuilder(token.state.notary)
        .addInputState(token)
        .addOutputState(token.state.data.copy(owner = ourIdentity))
        .addCommand(Command(TokenContract.Commands.Spend(), ourIdentity.owningKey))
    builder.verify(serviceHub)
    return serviceHub.signInitialTransaction(builder)
}
