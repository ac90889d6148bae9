package dev.benchnet.settlement

import co.paralleluniverse.fibers.Suspendable
import net.corda.core.contracts.StateAndRef
import net.corda.core.contracts.requireThat
import net.corda.core.flows.FlowException
import net.corda.core.flows.FlowLogic
import net.corda.core.flows.FlowSession
import net.corda.core.flows.InitiatedBy
import net.corda.core.flows.ReceiveFinalityFlow
import net.corda.core.flows.SendStateAndRefFlow
import net.corda.core.flows.SignTransactionFlow
import net.corda.core.node.services.StatesNotAvailableException
import net.corda.core.node.services.Vault
import net.corda.core.node.services.vault.PageSpecification
import net.corda.core.node.services.vault.QueryCriteria.LinearStateQueryCriteria
import net.corda.core.node.services.vault.QueryCriteria.SoftLockingCondition
import net.corda.core.node.services.vault.QueryCriteria.SoftLockingType
import net.corda.core.node.services.vault.QueryCriteria.VaultQueryCriteria
import net.corda.core.node.services.vault.Sort
import net.corda.core.node.services.vault.SortAttribute
import net.corda.core.transactions.SignedTransaction
import net.corda.core.utilities.NonEmptySet
import net.corda.core.utilities.unwrap
import java.time.Duration

/** A member's side of a settlement: offers an asset, signs if it gets one of the other kind for it, and records. */
@InitiatedBy(Settlement::class)
class SettlementMember(private val exchange: FlowSession) : FlowLogic<SignedTransaction>() {
    @Suspendable
    override fun call(): SignedTransaction {
        val offered = reserveAsset(exchange.receive<AssetRequest>().unwrap { it })
        subFlow(SendStateAndRefFlow(exchange, listOf(offered)))
        val signed = subFlow(object : SignTransactionFlow(exchange) {
            override fun checkTransaction(stx: SignedTransaction) = checkSwap(stx, offered)
        })
        return subFlow(ReceiveFinalityFlow(exchange, signed.id))
    }

    private fun checkSwap(stx: SignedTransaction, offered: StateAndRef<Asset>) = requireThat {
        val received = stx.coreTransaction.outputStates.filterIsInstance<Asset>().filter { it.owner == ourIdentity }
        "the offered asset is given" using (offered.ref in stx.inputs)
        "one asset of the other kind is received for it" using
            (received.singleOrNull()?.kind == offered.state.data.kind.other)
    }

    /**
     * Returns an asset that this flow reserves until it ends. Retries, since assets of an earlier settlement may
     * arrive late.
     */
    @Suspendable
    private fun reserveAsset(request: AssetRequest): StateAndRef<Asset> {
        for (attempt in 1..ATTEMPTS) {
            val free = tryReserve(request)
            if (free != null) return free
            FlowLogic.sleep(PAUSE)
        }
        throw FlowException("${ourIdentity.name} has no free ${request.kinds.joinToString(" or ")}" +
            (request.history?.let { " ($it)" } ?: "") + " left: the set-up made too few")
    }

    private fun tryReserve(request: AssetRequest): StateAndRef<Asset>? {
        val free = request.kinds.asSequence().mapNotNull { queryOldest(it, request.history) }.firstOrNull() ?: return null
        return try {
            serviceHub.vaultService.softLockReserve(runId.uuid, NonEmptySet.of(free.ref))
            free
        } catch (e: StatesNotAvailableException) {
            null // Another flow was faster.
        }
    }

    private fun queryOldest(kind: Kind, history: String?): StateAndRef<Asset>? {
        val criteria = LinearStateQueryCriteria(null, null, history?.let { listOf(it) }, Vault.StateStatus.UNCONSUMED,
            setOf(kind.type), Vault.RelevancyStatus.RELEVANT)
        val unlocked = VaultQueryCriteria(Vault.StateStatus.UNCONSUMED, setOf(kind.type), null, null,
            SoftLockingCondition(SoftLockingType.UNLOCKED_ONLY, emptyList()), null)
        return serviceHub.vaultService
            .queryBy(kind.type, criteria.and(unlocked), PageSpecification(1, 1), OLDEST_FIRST).states.firstOrNull()
    }

    private companion object {
        const val ATTEMPTS = 25
        val PAUSE: Duration = Duration.ofMillis(200)
        val OLDEST_FIRST = Sort(setOf(Sort.SortColumn(
            SortAttribute.Standard(Sort.VaultStateAttribute.RECORDED_TIME), Sort.Direction.ASC)))
    }
}
