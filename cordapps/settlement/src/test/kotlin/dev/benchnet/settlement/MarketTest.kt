package dev.benchnet.settlement

import net.corda.core.crypto.Crypto
import net.corda.core.flows.FlowException
import net.corda.core.identity.CordaX500Name
import net.corda.core.identity.Party
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test

fun party(name: String) = Party(CordaX500Name("Member $name", "London", "GB"), Crypto.generateKeyPair().public)

class MarketTest {
    private val members = listOf("A", "B", "C", "D").map(::party)

    @Test
    fun `the first half of the members is paired with the second, whatever their order`() {
        val pairs = listOf(Traders(members[0], members[2]), Traders(members[1], members[3]))
        assertEquals(pairs, pairMembers(members))
        assertEquals(pairs, pairMembers(members.reversed()))
    }

    @Test
    fun `a member that is left over is refused`() {
        val error = assertThrows(FlowException::class.java) { pairMembers(members.take(3)) }
        assertEquals("settlement is between pairs: beside the exchange and the notary the network must have an even number of" +
            " members, but has 3", error.message)
        assertThrows(FlowException::class.java) { pairMembers(emptyList()) }
    }

    @Test
    fun `an asset keeps what it is when it changes hands`() {
        val asset = Kind.Stock.issue(members[0], History.fresh(10))
        val given = asset.withOwner(members[1], History.SETTLED)
        assertEquals(listOf(members[1]), given.participants)
        assertEquals(asset.linearId.id, given.linearId.id)
        assertEquals("fresh, depth 10 settled", asset.linearId.externalId + " " + given.linearId.externalId)
        assertEquals(Kind.Stock, given.kind)
    }
}
