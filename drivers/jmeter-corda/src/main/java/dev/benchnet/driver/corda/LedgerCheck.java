package dev.benchnet.driver.corda;

/** Compares what clients saw complete with what the members recorded. */
public interface LedgerCheck {
    /** A flow of the window completed with this result. */
    void saw(Member member, Object result);

    /** Asks the members, and waits a little for those that record after their counterparty has answered the client. */
    LedgerVerdict verify() throws InterruptedException;

    /** The check of operations whose trace on the ledger is unknown. */
    static LedgerCheck none(String reason) {
        return new LedgerCheck() {
            @Override
            public void saw(Member member, Object result) {
                // Nothing is compared.
            }

            @Override
            public LedgerVerdict verify() {
                return LedgerVerdict.unchecked(reason);
            }
        };
    }
}
