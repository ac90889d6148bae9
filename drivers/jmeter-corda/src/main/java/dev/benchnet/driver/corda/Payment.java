package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Workload;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.corda.core.identity.Party;

/** A cash operation that ends with a payment to the member's counterparty. */
abstract class Payment extends CashOperation {
    private final Map<Member, Party> payees = new ConcurrentHashMap<>();
    private final LedgerCheck ledger;

    Payment(Workload workload, int kind, Members members, List<Operation> all) {
        super(workload, kind, members, all);
        ledger = withValue(new PaymentLedgerCheck(members, network::counterpartyName));
    }

    @Override
    public void prepare(Member member) {
        super.prepare(member);
        payees.put(member, network.counterparty(member));
    }

    Party payee(Member member) {
        return payees.get(member);
    }

    @Override
    public final LedgerCheck ledger() {
        return ledger;
    }
}
