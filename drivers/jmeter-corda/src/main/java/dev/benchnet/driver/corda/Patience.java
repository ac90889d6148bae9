package dev.benchnet.driver.corda;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Waits for numbers on ledgers that may still be growing; once it has come to its end, it waits no more. */
final class Patience {
    /** Members record within milliseconds of each other unless they are far behind with their work. */
    static final Duration USUAL = Duration.ofSeconds(20);
    private static final long PAUSE_MILLIS = 500;

    private final long until;

    Patience(Duration length) {
        until = System.nanoTime() + length.toNanos();
    }

    /** Asks until at least the expected number is there, or patience ends; returns the last answer. */
    long await(long expected, LongSupplier ask) throws InterruptedException {
        long recorded = ask.getAsLong();
        while (recorded < expected && System.nanoTime() < until) {
            Thread.sleep(PAUSE_MILLIS);
            recorded = ask.getAsLong();
        }
        return recorded;
    }
}
