package dev.benchnet.settlement

import net.corda.core.flows.FlowException
import net.corda.core.identity.Party
import net.corda.core.node.ServiceHub

/** Two members that swap: the first is issued cash, the second stock. */
data class Traders(val cash: Party, val stock: Party)

/**
 * The pairs of a network. The members beside the exchange and the notary are sorted by name, and each of the first half is paired
 * with one of the second.
 */
fun pairsOf(members: Collection<Party>): List<Traders> {
    if (members.isEmpty() || members.size % 2 != 0) {
        throw FlowException("settlement is between pairs: beside the exchange and the notary the network must have" +
            " an even number of members, but has ${members.size}")
    }
    val sorted = members.sortedBy { it.name.toString() }
    val half = sorted.size / 2
    return sorted.take(half).zip(sorted.drop(half)) { cash, stock -> Traders(cash, stock) }
}

/** The pairs as the exchange sees them in its network map. */
fun ServiceHub.pairs(exchange: Party): List<Traders> = pairsOf(networkMapCache.allNodes
    .filter { node -> node.legalIdentities.none { networkMapCache.isNotary(it) || it == exchange } }
    .map { it.legalIdentities.first() })

/** The network's notary. */
fun ServiceHub.notary(): Party = networkMapCache.notaryIdentities.firstOrNull()
    ?: throw FlowException("settlement needs a notary, but the network has none")
