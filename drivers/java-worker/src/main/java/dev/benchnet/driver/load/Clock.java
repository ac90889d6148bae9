package dev.benchnet.driver.load;

import java.util.concurrent.TimeUnit;

/** The time a worker lives by; tests bring their own. */
public interface Clock {
    /** Nanoseconds since an arbitrary origin, never going back. */
    long nanos();

    long epochMillis();

    /** Returns at once when the instant, in {@link #nanos()}, has passed. */
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
