package dev.benchnet.payment

import net.corda.core.contracts.Amount
import net.corda.core.contracts.BelongsToContract
import net.corda.core.contracts.FungibleState
import net.corda.core.identity.Party

/**
 * An amount of the issuer's money. It is a fungible state because a node can query those by quantity without a custom
 * table.
 */
@BelongsToContract(CoinContract::class)
data class Coin(val owner: Party, override val amount: Amount<Party>) : FungibleState<Party> {
    val issuer: Party get() = amount.token
    override val participants: List<Party> get() = listOf(owner)
}
