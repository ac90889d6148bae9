package dev.benchnet.driver.corda;

import dev.benchnet.driver.FatalException;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.Party;
import net.corda.core.messaging.CordaRPCOps;

/** One connected member. Its RPC proxy is shared by all clients. */
public final class Member {
    public final String name;
    public final CordaX500Name legalName;
    public final CordaRPCOps rpc;

    Member(String name, CordaX500Name legalName, CordaRPCOps rpc) {
        this.name = name;
        this.legalName = legalName;
        this.rpc = rpc;
    }

    /** Returns the party from this member's network map. If it is missing, the error names the field. */
    Party party(CordaX500Name party, String field) {
        Party found = rpc.wellKnownPartyFromX500Name(party);
        if (found == null) {
            throw new FatalException(field + ": \"" + party + "\" is not in the network map of " + name);
        }
        return found;
    }

    @Override
    public String toString() {
        return name;
    }
}
