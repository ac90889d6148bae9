package dev.benchnet.oracle

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Command
import net.corda.core.crypto.TransactionSignature
import net.corda.core.flows.FlowException
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatedBy
import net.corda.core.flows.InitiatingFlow
import net.corda.core.identity.Party
import net.corda.core.transactions.FilteredTransaction
import net.corda.core.utilities.unwrap
import java.security.PublicKey
import java.time.LocalDate

/** Returns the fixed rate of a day. It varies from day to day, and all members compute the same. */
fun fixRate(day: LocalDate) = Fix(day, 100 + Math.floorMod(day.toEpochDay() * 37, 400L).toInt())

/** Reports whether a component of a transaction is a correct rate that the oracle's key is to sign. */
fun isCorrectFix(component: Any, oracle: PublicKey): Boolean =
    component is Command<*> && oracle in component.signers && component.value.let { it is Fix && it == fixRate(it.day) }

/** Asks the oracle for the rate of a day. */
@InitiatingFlow
class QueryFixFlow(private val oracle: Party, private val day: LocalDate) : FlowLogic<Fix>() {
    @Suspendable
    override fun call(): Fix = initiateFlow(oracle).sendAndReceive<Fix>(day).unwrap {
        if (it.day != day) throw FlowException("the oracle fixed a rate of ${it.day} instead of $day")
        it
    }
}

/** The oracle's side: any member answers. */
@InitiatedBy(QueryFixFlow::class)
class FixAnswer(private val client: FlowSession) : FlowLogic<Unit>() {
    @Suspendable
    override fun call() {
        client.send(fixRate(client.receive<LocalDate>().unwrap { it }))
    }
}

/** Gets the oracle's signature of a transaction, of which the tear-off shows it only the rate. */
@InitiatingFlow
class SignFixFlow(private val oracle: Party, private val tearOff: FilteredTransaction) : FlowLogic<TransactionSignature>() {
    @Suspendable
    override fun call(): TransactionSignature = initiateFlow(oracle).sendAndReceive<TransactionSignature>(tearOff).unwrap {
        if (it.by != oracle.owningKey) throw FlowException("${oracle.name} did not sign itself")
        it.verify(tearOff.id)
        it
    }
}

/** The oracle's side: signs a transaction of which it sees its own commands, all of them correct rates, and nothing else. */
@InitiatedBy(SignFixFlow::class)
class FixSigner(private val client: FlowSession) : FlowLogic<Unit>() {
    @Suspendable
    override fun call() {
        val key = ourIdentity.owningKey
        val tearOff = client.receive<FilteredTransaction>().unwrap { it }
        tearOff.verify()
        tearOff.checkCommandVisibility(key)
        if (!tearOff.checkWithFun { isCorrectFix(it, key) }) {
            throw FlowException("the oracle signs only transactions that show it a correct rate and nothing else")
        }
        client.send(serviceHub.createSignature(tearOff, key))
    }
}
