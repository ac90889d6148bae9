package dev.benchnet.settlement

import net.corda.core.flows.FlowException
import net.corda.core.identity.Party
import net.corda.core.node.ServiceHub

/** Two members that swap assets: one gets cash issued, the other stock. */
data class Traders(val cash: Party, val stock: Party)

/**
 * Returns the pairs of a network. The members except the exchange and the notary are sorted by name, and each member
 * of the first half is paired with one of the second half. Throws a FlowException for no members or an odd number.
 */
fun pairMembers(members: Collection<Party>): List<Traders> {
    if (members.isEmpty() || members.size % 2 != 0) {
        throw FlowException("settlement is between pairs: beside the exchange and the notary the network must have" +
            " an even number of members, but has ${members.size}")
    }
    val sorted = members.sortedBy { it.name.toString() }
    val half = sorted.size / 2
    return sorted.take(half).zip(sorted.drop(half)) { cash, stock -> Traders(cash, stock) }
}

/** Returns the pairs according to the network map of the exchange. */
fun ServiceHub.findPairs(exchange: Party): List<Traders> = pairMembers(networkMapCache.allNodes
    .filter { node -> node.legalIdentities.none { networkMapCache.isNotary(it) || it == exchange } }
    .map { it.legalIdentities.first() })

/** Returns the network's notary; throws a FlowException if there is none. */
fun ServiceHub.findNotary(): Party = networkMapCache.notaryIdentities.firstOrNull()
    ?: throw FlowException("settlement needs a notary, but the network has none")
