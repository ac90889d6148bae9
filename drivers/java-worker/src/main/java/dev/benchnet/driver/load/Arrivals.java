package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Load;
import dev.benchnet.driver.workload.Worker;
import java.util.SplittableRandom;

/** The instants at which one worker's operations of an open loop are due. Not thread-safe. */
public interface Arrivals {
    /** Returns the nanoseconds from the start of the load until the worker's next operation is due. */
    long nextOffsetNanos();

    static Arrivals of(Load load, Worker worker) {
        return load.arrivals == Load.Arrivals.Poisson ? poisson(load.ratePerSecond, load.seed, worker) : even(load.ratePerSecond, worker);
    }

    /** Returns arrivals at equal distances. The first one of all workers is due at the start, and the workers take turns. */
    static Arrivals even(double ratePerSecond, Worker worker) {
        double periodNanos = 1e9 / ratePerSecond;
        return new Arrivals() {
            private long count;

            @Override
            public long nextOffsetNanos() {
                return Math.round(worker.globalIndex(count++) * periodNanos);
            }
        };
    }

    /** Returns exponential distances from the worker's own generator. The processes of all workers add up to the rate. */
    static Arrivals poisson(double ratePerSecond, long seed, Worker worker) {
        double meanNanos = 1e9 * worker.count / ratePerSecond;
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int i = 0; i < worker.index; i++) {
            seeds.split();
        }
        SplittableRandom random = seeds.split();
        return new Arrivals() {
            private double offsetNanos;

            @Override
            public long nextOffsetNanos() {
                offsetNanos -= meanNanos * Math.log1p(-random.nextDouble());
                return Math.round(offsetNanos);
            }
        };
    }
}
