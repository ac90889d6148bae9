package dev.benchnet.driver.corda;

import java.time.Duration;

/** Compares what clients saw complete with what the members recorded. */
public interface LedgerCheck {
    /** A flow of the window completed with this result. */
    void saw(Member member, Object result);

    /** Asks the members, and waits so long at most for those that record after the client has its answer. */
    LedgerVerdict verify(Duration patience) throws InterruptedException;

    default LedgerVerdict verify() throws InterruptedException {
        return verify(Patience.USUAL);
    }

    /** The check of operations whose trace on the ledger is unknown. */
    static LedgerCheck none(String reason) {
        return new LedgerCheck() {
            @Override
            public void saw(Member member, Object result) {
                // Nothing is compared.
            }

            @Override
            public LedgerVerdict verify(Duration patience) {
                return LedgerVerdict.unchecked(reason);
            }
        };
    }
}
