package dev.benchnet.settlement

import net.corda.core.contracts.BelongsToContract
import net.corda.core.contracts.LinearState
import net.corda.core.contracts.UniqueIdentifier
import net.corda.core.identity.AbstractParty
import net.corda.core.identity.Party
import net.corda.core.serialization.CordaSerializable

/**
 * Cash or stock, the two sides of a settlement. The external id of its linear id records its history (see [History]),
 * because a node can query states by external id without a custom table.
 */
interface Asset : LinearState {
    val owner: Party
    val kind: Kind

    /** Returns the same asset with another owner. */
    fun withOwner(owner: Party, history: String): Asset
}

/** The two kinds of assets; one is settled for the other. */
@CordaSerializable
enum class Kind {
    Cash, Stock;

    val other: Kind get() = if (this == Cash) Stock else Cash
}

/** The class of the assets of this kind. */
val Kind.type: Class<out Asset> get() = if (this == Kind.Cash) Cash::class.java else Stock::class.java

/** Returns a new asset of this kind. */
fun Kind.issue(owner: Party, history: String): Asset {
    val id = UniqueIdentifier(history)
    return if (this == Kind.Cash) Cash(owner, id) else Stock(owner, id)
}

@BelongsToContract(SettlementContract::class)
data class Cash(override val owner: Party, override val linearId: UniqueIdentifier) : Asset {
    override val kind: Kind get() = Kind.Cash
    override val participants: List<AbstractParty> get() = listOf(owner)
    override fun withOwner(owner: Party, history: String): Asset =
        copy(owner = owner, linearId = linearId.copy(externalId = history))
}

@BelongsToContract(SettlementContract::class)
data class Stock(override val owner: Party, override val linearId: UniqueIdentifier) : Asset {
    override val kind: Kind get() = Kind.Stock
    override val participants: List<AbstractParty> get() = listOf(owner)
    override fun withOwner(owner: Party, history: String): Asset =
        copy(owner = owner, linearId = linearId.copy(externalId = history))
}

/** The values of an asset's external id. */
object History {
    /** The asset was settled at least once: every member knows its past transactions. */
    const val SETTLED = "settled"

    /** The asset was never settled. After the set-up its issue is followed by that many transfers within its pair. */
    fun fresh(depth: Int): String = "fresh, depth $depth"
}
