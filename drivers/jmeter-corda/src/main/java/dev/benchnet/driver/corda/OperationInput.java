package dev.benchnet.driver.corda;

import java.util.SplittableRandom;

/** What replaces the placeholders in the arguments of one operation. */
class OperationInput {
    /** The number of the operation over all workers, from 0. */
    final long counter;
    /** The number of the client over all workers, from 0. */
    final long client;
    final int worker;
    private final long seed;

    OperationInput(long counter, long client, int worker, long seed) {
        this.counter = counter;
        this.client = client;
        this.worker = worker;
        this.seed = seed;
    }

    /** Returns a whole number from {@code low} to {@code high} that depends only on seed, operation and place. */
    long draw(int place, long low, long high) {
        return low + Long.remainderUnsigned(mix(mix(mix(seed) + place) + counter), high - low + 1);
    }

    /** Returns a number of 64 evenly distributed bits. The algorithm is the same in all versions of Java. */
    private static long mix(long value) {
        return new SplittableRandom(value).nextLong();
    }

    /** Returns an input of an operation that draws the lowest, or the highest, of all numbers. */
    static OperationInput extreme(long counter, boolean highest) {
        return new OperationInput(counter, 0, 0, 0) {
            @Override
            long draw(int place, long low, long high) {
                return highest ? high : low;
            }
        };
    }
}
