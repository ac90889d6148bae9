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
}
