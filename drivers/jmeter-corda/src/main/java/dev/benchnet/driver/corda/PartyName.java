package dev.benchnet.driver.corda;

import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.Party;

/** A party in a workload: a legal name, or its role in the flow. */
interface PartyName {
    /** Returns the party according to the member. If it is missing, the error names the field. */
    Party resolve(Member member, Network network, String field);

    static PartyName parse(String text) {
        switch (text) {
            case "self":
                return (member, network, field) -> member.party(member.legalName, field);
            case "counterparty":
                return (member, network, field) -> network.counterparty(member);
            case "notary":
                return (member, network, field) -> network.notary(member);
            default:
                CordaX500Name name = CordaX500Name.parse(text);
                return (member, network, field) -> member.party(name, field);
        }
    }
}
