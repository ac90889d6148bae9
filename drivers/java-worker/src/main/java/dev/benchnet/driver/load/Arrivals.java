package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Load;
import dev.benchnet.driver.workload.Worker;
import java.util.SplittableRandom;
import java.util.function.DoubleToLongFunction;

/** The instants at which one worker's operations of an open loop are due. Not thread-safe. */
public interface Arrivals {
    /**
     * Returns the nanoseconds from the start of the load until the worker's next operation is due. Long.MAX_VALUE: no
     * further operation is due.
     */
    long nextOffsetNanos();

    static Arrivals of(Load load, Worker worker) {
        boolean poisson = load.arrivals == Load.Arrivals.Poisson;
        if (load.rates.isEmpty()) {
            return poisson ? poisson(load.ratePerSecond, load.seed, worker) : even(load.ratePerSecond, worker);
        }
        RateFunction rate = new RateFunction(load.rates);
        return poisson ? poisson(worker.count, rate::nanosUntil, load.seed, worker) : even(rate::nanosUntil, worker);
    }

    /** Returns arrivals at equal distances. The first one of all workers is due at the start, and the workers take turns. */
    static Arrivals even(double ratePerSecond, Worker worker) {
        double periodNanos = 1e9 / ratePerSecond;
        return even(index -> Math.round(index * periodNanos), worker);
    }

    /** Returns arrivals at the instants of the worker's global indexes. */
    static Arrivals even(DoubleToLongFunction nanosOfIndex, Worker worker) {
        return new Arrivals() {
            private long count;

            @Override
            public long nextOffsetNanos() {
                return nanosOfIndex.applyAsLong(worker.globalIndex(count++));
            }
        };
    }

    /** Returns exponential distances from the worker's own generator. The processes of all workers add up to the rate. */
    static Arrivals poisson(double ratePerSecond, long seed, Worker worker) {
        return poisson(1e9 * worker.count / ratePerSecond, Math::round, seed, worker);
    }

    /** Returns arrivals at the instants of the sums of exponential distances with a mean. */
    static Arrivals poisson(double mean, DoubleToLongFunction nanosOfSum, long seed, Worker worker) {
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int i = 0; i < worker.index; i++) {
            seeds.split();
        }
        SplittableRandom random = seeds.split();
        return new Arrivals() {
            private double sum;

            @Override
            public long nextOffsetNanos() {
                sum -= mean * Math.log1p(-random.nextDouble());
                return nanosOfSum.applyAsLong(sum);
            }
        };
    }
}
