package dev.benchnet.driver.corda;

import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.Party;

/** A party as a workload names it: by legal name, or by its part in the flow. */
interface PartyName {
    /** The party as the member knows it; the field is the one to blame if it does not. */
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
