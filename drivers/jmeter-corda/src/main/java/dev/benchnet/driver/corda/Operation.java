package dev.benchnet.driver.corda;

import net.corda.core.messaging.FlowHandle;
import net.corda.core.messaging.FlowProgressHandle;

/** The operation that clients repeat. Thread-safe once every member is prepared. */
public interface Operation {
    /** Creates the ledger states that the flow needs. Called once for each member, before any flow starts. */
    void prepare(Member member);

    /**
     * Returns when the member has accepted the flow; the handle's future completes with the flow. The handle of a
     * tracked flow is a {@link FlowProgressHandle}. The client is the index of this worker's client that starts it.
     */
    FlowHandle<?> start(Member member, FlowPurpose purpose, int client, boolean tracked);

    LedgerCheck ledger();
}
