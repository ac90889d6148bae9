package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Workload;
import net.corda.core.messaging.FlowHandle;

/** The member issues cash to itself; no other node takes part. */
final class Issue extends CashOperation {
    private final LedgerCheck ledger = new IssueLedgerCheck(reference(FlowPurpose.Window));

    Issue(Workload workload) {
        super(workload);
    }

    @Override
    public FlowHandle<?> start(Member member, FlowPurpose purpose) {
        return issue(member, amount, purpose);
    }

    @Override
    public LedgerCheck ledger() {
        return ledger;
    }
}
