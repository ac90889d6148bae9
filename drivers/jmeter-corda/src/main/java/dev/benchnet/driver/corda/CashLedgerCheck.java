package dev.benchnet.driver.corda;

import java.time.Duration;
import java.util.function.Supplier;

/** Compares the transactions of a cash operation first, and then the value of its cash. */
final class CashLedgerCheck implements LedgerCheck {
    private final LedgerCheck transactions;
    private final CashValueCheck value;
    private final Supplier<IssuedCash> issued;

    CashLedgerCheck(LedgerCheck transactions, CashValueCheck value, Supplier<IssuedCash> issued) {
        this.transactions = transactions;
        this.value = value;
        this.issued = issued;
    }

    @Override
    public void recordResult(Member member, Object result) {
        transactions.recordResult(member, result);
    }

    @Override
    public LedgerVerdict verify(Duration patience) throws InterruptedException {
        LedgerPoller poller = new LedgerPoller(patience);
        LedgerVerdict counted = transactions.verify(patience);
        return value.verify(counted, issued.get(), poller);
    }
}
