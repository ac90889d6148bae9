package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Workload;
import java.util.List;
import net.corda.core.messaging.FlowHandle;
import net.corda.finance.flows.CashIssueAndPaymentFlow;

/** The member issues cash and pays the same amount to its counterparty, in two transactions. */
final class IssueAndPay extends Payment {
    IssueAndPay(Workload workload, int kind, Members members, List<Operation> all) {
        super(workload, kind, members, all);
    }

    @Override
    FlowHandle<?> startFlow(Member member, FlowPurpose purpose, boolean tracked) {
        return member.startFlow(tracked, CashIssueAndPaymentFlow.class,
                amount, reference(purpose), payee(member), anonymous, notary(member));
    }
}
