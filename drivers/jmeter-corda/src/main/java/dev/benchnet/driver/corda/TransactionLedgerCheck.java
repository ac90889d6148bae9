package dev.benchnet.driver.corda;

import java.time.Duration;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import net.corda.core.crypto.SecureHash;
import net.corda.core.transactions.SignedTransaction;
import net.corda.finance.flows.AbstractCashFlow;

/**
 * Looks up the transactions that flows of the user returned, in the store of the member that ran the flow. What flows
 * record that return something else is unknown. If no transaction is recorded, the flow does not finalise what it
 * returns, so nothing is known either.
 */
final class TransactionLedgerCheck implements LedgerCheck {
    /** Bounds the time of the check, since every transaction is one call. The first of the window are looked up. */
    static final int MAX_TRANSACTIONS = 2000;

    private final String flow;
    private final BlockingQueue<Map.Entry<Member, SecureHash>> transactions = new ArrayBlockingQueue<>(MAX_TRANSACTIONS);

    TransactionLedgerCheck(String flow) {
        this.flow = flow;
    }

    @Override
    public void recordResult(Member member, Object result) {
        Object transaction = result instanceof AbstractCashFlow.Result ? ((AbstractCashFlow.Result) result).getStx() : result;
        if (transaction instanceof SignedTransaction) {
            addTransaction(member, ((SignedTransaction) transaction).getId());
        }
    }

    /** Does nothing if there are enough transactions. */
    void addTransaction(Member member, SecureHash transaction) {
        transactions.offer(new SimpleImmutableEntry<>(member, transaction));
    }

    @Override
    public LedgerVerdict verify(Duration patience) throws InterruptedException {
        if (transactions.isEmpty()) {
            return LedgerVerdict.unchecked("no flow " + flow + " returned a transaction");
        }
        LedgerPoller poller = new LedgerPoller(patience);
        long recorded = 0;
        for (Map.Entry<Member, SecureHash> each : new ArrayList<>(transactions)) {
            recorded += poller.awaitCount(1,
                    () -> each.getKey().rpc.internalFindVerifiedTransaction(each.getValue()) == null ? 0 : 1);
        }
        if (recorded == 0) {
            return LedgerVerdict.unchecked("flow " + flow + " returns transactions that its member does not record");
        }
        return LedgerVerdict.of(transactions.size(), recorded);
    }
}
