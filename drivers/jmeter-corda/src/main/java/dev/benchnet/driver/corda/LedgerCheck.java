package dev.benchnet.driver.corda;

import java.time.Duration;

/** Compares the flows that clients saw complete with the transactions that the members recorded. */
public interface LedgerCheck {
    /** Records that a flow of the window completed with this result. */
    void recordResult(Member member, Object result);

    /**
     * Queries the members, and waits for up to {@code patience} for members that record after the client has its
     * answer.
     */
    LedgerVerdict verify(Duration patience) throws InterruptedException;

    default LedgerVerdict verify() throws InterruptedException {
        return verify(LedgerPoller.DEFAULT_TIMEOUT);
    }

    /** Returns the check for operations whose ledger states are unknown. */
    static LedgerCheck skipped(String reason) {
        return new LedgerCheck() {
            @Override
            public void recordResult(Member member, Object result) {
                // Nothing is compared.
            }

            @Override
            public LedgerVerdict verify(Duration patience) {
                return LedgerVerdict.unchecked(reason);
            }
        };
    }
}
