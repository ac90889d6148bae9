package dev.benchnet.driver.load;

/** The instants at which the operations of an open loop are due, over all workers. */
public interface Arrivals {
    /** Returns the nanoseconds from the start of the load until operation {@code index} is due. Never decreases. */
    long offsetNanos(long index);

    /** Returns arrivals at equal intervals, the first one at the start. */
    static Arrivals even(double ratePerSecond) {
        double periodNanos = 1e9 / ratePerSecond;
        return index -> Math.round(index * periodNanos);
    }
}
