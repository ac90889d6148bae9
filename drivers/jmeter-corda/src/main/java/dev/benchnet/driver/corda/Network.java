package dev.benchnet.driver.corda;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.corda.workload.Directory;
import java.util.List;
import java.util.stream.Collectors;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.Party;

/** The parties of the network. */
final class Network {
    private final List<CordaX500Name> parties;
    private final CordaX500Name notary;
    private final CordaX500Name counterparty;

    /** The counterparty may be null: then it is the party after each member in the list of parties. */
    Network(Directory directory, String counterparty) {
        parties = directory.parties.stream().map(name -> legalName(name, "parties")).collect(Collectors.toList());
        notary = directory.notary == null ? null : legalName(directory.notary, "notary");
        this.counterparty = counterparty == null ? null : legalName(counterparty, "operation.counterparty");
    }

    static CordaX500Name legalName(String name, String field) {
        try {
            return CordaX500Name.parse(name);
        } catch (IllegalArgumentException e) {
            throw new FatalException(field + ": \"" + name + "\" is not a legal name", e);
        }
    }

    Party notary(Member member) {
        if (notary == null) {
            throw new FatalException("notary: the operation needs a notary, but the network has none");
        }
        return member.notary(notary);
    }

    Party counterparty(Member member) {
        return member.party(counterpartyName(member), "operation.counterparty");
    }

    /** Reports whether every party is one of the members. */
    boolean isCoveredBy(Members members) {
        return parties.stream().allMatch(party -> members.findByName(party).isPresent());
    }

    CordaX500Name counterpartyName(Member member) {
        CordaX500Name name = counterparty != null || parties.isEmpty() ? counterparty
                : parties.get((parties.indexOf(member.legalName) + 1) % parties.size());
        if (name == null || name.equals(member.legalName)) {
            throw new FatalException("operation.counterparty: " + member + " cannot be its own; name another party");
        }
        return name;
    }
}
