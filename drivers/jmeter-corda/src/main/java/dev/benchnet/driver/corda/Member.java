package dev.benchnet.driver.corda;

import dev.benchnet.driver.FatalException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.corda.core.flows.FlowLogic;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.Party;
import net.corda.core.messaging.CordaRPCOps;
import net.corda.core.messaging.FlowHandle;

/** One connected member. Its RPC proxy is shared by all clients. */
public final class Member {
    public final String name;
    public final CordaX500Name legalName;
    public final CordaRPCOps rpc;
    private final Map<CordaX500Name, Party> parties = new ConcurrentHashMap<>();
    private final Map<CordaX500Name, Party> notaries = new ConcurrentHashMap<>();

    Member(String name, CordaX500Name legalName, CordaRPCOps rpc) {
        this.name = name;
        this.legalName = legalName;
        this.rpc = rpc;
    }

    /** Starts a flow. The handle of a tracked one reports its steps, each of which costs a message. */
    <T> FlowHandle<T> startFlow(boolean tracked, Class<? extends FlowLogic<? extends T>> flow, Object... arguments) {
        return tracked ? rpc.startTrackedFlowDynamic(flow, arguments) : rpc.startFlowDynamic(flow, arguments);
    }

    /** Returns the party from this member's network map, asked once. If it is missing, the error names the field. */
    Party party(CordaX500Name party, String field) {
        Party found = parties.computeIfAbsent(party, rpc::wellKnownPartyFromX500Name);
        if (found == null) {
            throw new FatalException(field + ": \"" + party + "\" is not in the network map of " + name);
        }
        return found;
    }

    /** Returns the notary from this member's network parameters, asked once. */
    Party notary(CordaX500Name notary) {
        Party found = notaries.computeIfAbsent(notary, rpc::notaryPartyFromX500Name);
        if (found == null) {
            throw new FatalException("notary: \"" + notary + "\" is not a notary in the network parameters of " + name);
        }
        return found;
    }

    @Override
    public String toString() {
        return name;
    }
}
