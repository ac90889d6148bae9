package dev.benchnet.driver.load;

import java.util.concurrent.TimeUnit;

/** A worker's source of time; tests replace it. */
public interface Clock {
    /** Returns nanoseconds since an arbitrary origin. The value never decreases. */
    long nanos();

    long epochMillis();

    /** Sleeps until the instant, in {@link #nanos()}; returns at once if it has passed. */
    void sleepUntil(long nanos) throws InterruptedException;

    Clock SYSTEM = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long epochMillis() {
            return System.currentTimeMillis();
        }

        @Override
        public void sleepUntil(long nanos) throws InterruptedException {
            for (long left = nanos - nanos(); left > 0; left = nanos - nanos()) {
                TimeUnit.NANOSECONDS.sleep(left);
            }
        }
    };
}
