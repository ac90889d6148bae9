package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Workload;
import net.corda.core.messaging.FlowHandle;

/** The member issues cash to itself; no other node takes part. */
final class Issue extends CashOperation {
    private final LedgerCheck ledger;

    Issue(Workload workload, Members members) {
        super(workload, members);
        ledger = withValue(new IssueLedgerCheck(members, reference(FlowPurpose.Window), () -> counts.started(FlowPurpose.Window)));
    }

    @Override
    FlowHandle<?> startFlow(Member member, FlowPurpose purpose, boolean tracked) {
        return issue(member, amount, reference(purpose), tracked);
    }

    @Override
    public LedgerCheck ledger() {
        return ledger;
    }
}
