package dev.benchnet.driver.corda;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A number on a ledger that may still be growing. */
final class RecordedCount {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long PAUSE_MILLIS = 500;

    private RecordedCount() { }

    /** Asks until at least the expected number is there, or patience ends; returns the last answer. */
    static long await(long expected, LongSupplier ask) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE_NANOS;
        long recorded = ask.getAsLong();
        while (recorded < expected && System.nanoTime() < until) {
            Thread.sleep(PAUSE_MILLIS);
            recorded = ask.getAsLong();
        }
        return recorded;
    }
}
