package dev.benchnet.driver.corda;

import net.corda.core.messaging.FlowHandle;

/** What a client does over and over. Thread-safe once every member is prepared. */
public interface Operation {
    /** Brings about on the ledger what the flow needs there. Called once for each member, before anything is started. */
    void prepare(Member member);

    /** Returns when the member has accepted the flow; its future ends with it. */
    FlowHandle<?> start(Member member, Purpose purpose);

    LedgerCheck ledger();
}
