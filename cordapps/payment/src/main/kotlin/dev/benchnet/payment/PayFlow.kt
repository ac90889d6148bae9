package dev.benchnet.payment

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.Amount
import net.corda.core.contracts.Command
import net.corda.core.contracts.StateAndRef
import net.corda.core.crypto.SecureHash
import net.corda.core.flows.FinalityFlow
import net.corda.core.flows.FlowException
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatedBy
import net.corda.core.flows.InitiatingFlow
import net.corda.core.flows.ReceiveFinalityFlow
import net.corda.core.flows.StartableByRPC
import net.corda.core.identity.Party
import net.corda.core.node.services.StatesNotAvailableException
import net.corda.core.node.services.Vault
import net.corda.core.node.services.queryBy
import net.corda.core.node.services.vault.PageSpecification
import net.corda.core.node.services.vault.QueryCriteria.FungibleAssetQueryCriteria
import net.corda.core.node.services.vault.QueryCriteria.SoftLockingCondition
import net.corda.core.node.services.vault.QueryCriteria.SoftLockingType
import net.corda.core.node.services.vault.QueryCriteria.VaultQueryCriteria
import net.corda.core.node.services.vault.Sort
import net.corda.core.node.services.vault.SortAttribute
import net.corda.core.node.services.vault.builder
import net.corda.core.transactions.TransactionBuilder
import net.corda.core.utilities.NonEmptySet
import java.time.Duration

/**
 * Pays [states] coins of 1 to the recipient in one notarized transaction. It consumes one coin of the payer, whose rest
 * is the change, so concurrent flows need one coin each. Returns the transaction's id.
 */
@InitiatingFlow
@StartableByRPC
class PayFlow(private val states: Int, private val recipient: Party) : FlowLogic<SecureHash>() {
    @Suspendable
    override fun call(): SecureHash {
        if (states < 1) throw FlowException("states: must be at least 1, but is $states")
        if (recipient == ourIdentity) throw FlowException("recipient: must be another member, but is ${recipient.name}")
        val payment = buildPayment(reserveCoin())
        payment.verify(serviceHub)
        val session = initiateFlow(recipient)
        return subFlow(FinalityFlow(serviceHub.signInitialTransaction(payment), listOf(session))).id
    }

    private fun buildPayment(coin: StateAndRef<Coin>): TransactionBuilder {
        val (owner, amount) = coin.state.data
        val payment = TransactionBuilder(coin.state.notary)
            .addInputState(coin)
            .addCommand(Command(CoinContract.Commands.Pay(), owner.owningKey))
        for (i in 1..states) payment.addOutputState(Coin(recipient, Amount(1, amount.token)))
        val change = amount.quantity - states
        if (change > 0) payment.addOutputState(Coin(owner, Amount(change, amount.token)))
        return payment
    }

    /** Returns a coin that this flow reserves until it ends. Retries, since the change of other flows may arrive late. */
    @Suspendable
    private fun reserveCoin(): StateAndRef<Coin> {
        for (attempt in 1..ATTEMPTS) {
            val free = tryReserve()
            if (free != null) return free
            FlowLogic.sleep(PAUSE)
        }
        throw FlowException("${ourIdentity.name} has no free coin of at least $states left: the set-up issued too few or too small ones")
    }

    private fun tryReserve(): StateAndRef<Coin>? {
        val free = queryOldest() ?: return null
        return try {
            serviceHub.vaultService.softLockReserve(runId.uuid, NonEmptySet.of(free.ref))
            free
        } catch (e: StatesNotAvailableException) {
            null // Another flow was faster.
        }
    }

    /**
     * Reads one state only, because each costs the node the deserialization of a transaction. The criteria are those of
     * a fungible asset, because Corda 4.3 to 4.10 ignore the quantity in FungibleStateQueryCriteria.
     */
    private fun queryOldest(): StateAndRef<Coin>? {
        val largeEnough = FungibleAssetQueryCriteria(null, null, builder { greaterThanOrEqual(states.toLong()) }, null, null,
            Vault.StateStatus.UNCONSUMED, setOf(Coin::class.java), Vault.RelevancyStatus.RELEVANT)
        val unlocked = VaultQueryCriteria(Vault.StateStatus.UNCONSUMED, setOf(Coin::class.java), null, null,
            SoftLockingCondition(SoftLockingType.UNLOCKED_ONLY, emptyList()), null)
        return serviceHub.vaultService
            .queryBy<Coin>(largeEnough.and(unlocked), PageSpecification(1, 1), OLDEST_FIRST).states.firstOrNull()
    }

    private companion object {
        const val ATTEMPTS = 25
        val PAUSE: Duration = Duration.ofMillis(200)
        val OLDEST_FIRST = Sort(setOf(Sort.SortColumn(
            SortAttribute.Standard(Sort.VaultStateAttribute.RECORDED_TIME), Sort.Direction.ASC)))
    }
}

/** The recipient's side: receives and records the transaction. */
@InitiatedBy(PayFlow::class)
class PayRecipient(private val payer: FlowSession) : FlowLogic<Unit>() {
    @Suspendable
    override fun call() {
        subFlow(ReceiveFinalityFlow(payer))
    }
}
