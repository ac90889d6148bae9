package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Workload;
import java.util.List;
import net.corda.core.messaging.FlowHandle;

/** The member issues cash to itself; no other node takes part. */
final class Issue extends CashOperation {
    private final LedgerCheck ledger;

    /** In a mix, the issues are looked up by transaction: other kinds may spend the cash, which keeps its reference. */
    Issue(Workload workload, int kind, Members members, List<Operation> all) {
        super(workload, kind, members, all);
        ledger = withValue(isMixed(workload) ? new PaymentLedgerCheck(members, issuer -> issuer.legalName)
                : new IssueLedgerCheck(members, reference(FlowPurpose.Window), () -> counts.started(FlowPurpose.Window)));
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
