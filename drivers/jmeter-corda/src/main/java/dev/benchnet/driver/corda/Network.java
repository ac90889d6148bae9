package dev.benchnet.driver.corda;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.workload.Workload;
import java.util.List;
import java.util.stream.Collectors;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.Party;

/** Who is who on the network, as far as the workload says. */
final class Network {
    private final List<CordaX500Name> parties;
    private final CordaX500Name notary;
    private final CordaX500Name counterparty;

    Network(Workload workload) {
        parties = workload.parties.stream().map(name -> legalName(name, "parties")).collect(Collectors.toList());
        notary = workload.notary == null ? null : legalName(workload.notary, "notary");
        String named = workload.operation.counterparty;
        counterparty = named == null ? null : legalName(named, "operation.counterparty");
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
        Party party = member.rpc.notaryPartyFromX500Name(notary);
        if (party == null) {
            throw new FatalException("notary: \"" + notary + "\" is not a notary in the network parameters of " + member);
        }
        return party;
    }

    Party counterparty(Member member) {
        return member.party(counterpartyName(member), "operation.counterparty");
    }

    /** The one that the workload names, or else the party after the member's own. */
    CordaX500Name counterpartyName(Member member) {
        if (counterparty != null) {
            return counterparty;
        }
        CordaX500Name next = parties.isEmpty() ? null
                : parties.get((parties.indexOf(member.legalName) + 1) % parties.size());
        if (next == null || next.equals(member.legalName)) {
            throw new FatalException("operation.counterparty: " + member + " is the only party; name another one");
        }
        return next;
    }
}
