package dev.benchnet.driver.corda;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A deadline for counts on ledgers that may still grow. After the deadline it does not wait. */
final class LedgerPoller {
    /** Members record within milliseconds of each other unless they have a large backlog. */
    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(20);
    private static final long PAUSE_MILLIS = 500;

    private final long until;

    LedgerPoller(Duration length) {
        until = System.nanoTime() + length.toNanos();
    }

    boolean isOver() {
        return System.nanoTime() >= until;
    }

    void pause() throws InterruptedException {
        Thread.sleep(PAUSE_MILLIS);
    }

    /** Polls until the expected number is reached or the deadline has passed; returns the last count. */
    long awaitCount(long expected, LongSupplier ask) throws InterruptedException {
        long recorded = ask.getAsLong();
        while (recorded < expected && !isOver()) {
            pause();
            recorded = ask.getAsLong();
        }
        return recorded;
    }
}
