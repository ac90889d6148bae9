package dev.benchnet.settlement

import net.corda.core.contracts.BelongsToContract
import net.corda.core.contracts.LinearState
import net.corda.core.contracts.UniqueIdentifier
import net.corda.core.identity.AbstractParty
import net.corda.core.identity.Party
import net.corda.core.serialization.CordaSerializable

/**
 * What is settled: cash for stock. The external id of its linear id tells what the asset has been through (see [Past]),
 * because a node finds states by it without a table of the CorDapp's own.
 */
interface Asset : LinearState {
    val owner: Party
    val kind: Kind

    /** The same asset in other hands. */
    fun given(to: Party, past: String): Asset
}

/** The two kinds of assets; one is settled for the other. */
@CordaSerializable
enum class Kind {
    Cash, Stock;

    val other: Kind get() = if (this == Cash) Stock else Cash
}

/** The class of the assets of this kind. */
val Kind.type: Class<out Asset> get() = if (this == Kind.Cash) Cash::class.java else Stock::class.java

/** A new asset of this kind. */
fun Kind.issue(owner: Party, past: String): Asset {
    val id = UniqueIdentifier(past)
    return if (this == Kind.Cash) Cash(owner, id) else Stock(owner, id)
}

@BelongsToContract(SettlementContract::class)
data class Cash(override val owner: Party, override val linearId: UniqueIdentifier) : Asset {
    override val kind: Kind get() = Kind.Cash
    override val participants: List<AbstractParty> get() = listOf(owner)
    override fun given(to: Party, past: String): Asset = copy(owner = to, linearId = linearId.copy(externalId = past))
}

@BelongsToContract(SettlementContract::class)
data class Stock(override val owner: Party, override val linearId: UniqueIdentifier) : Asset {
    override val kind: Kind get() = Kind.Stock
    override val participants: List<AbstractParty> get() = listOf(owner)
    override fun given(to: Party, past: String): Asset = copy(owner = to, linearId = linearId.copy(externalId = past))
}

/** What an asset has been through, as its external id says it. */
object Past {
    /** Settled at least once: every member knows the transactions behind it. */
    const val SETTLED = "settled"

    /** Never settled; so many transfers within its pair follow its issue, or will when the set-up has ended. */
    fun fresh(depth: Int): String = "fresh, depth $depth"
}
