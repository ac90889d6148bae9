package dev.benchnet.driver.load;

import java.util.concurrent.TimeUnit;

/**
 * How well the planned start times in a part of the window were met. All values are zero in a closed loop. Not
 * thread-safe.
 */
public final class ScheduleAdherence {
    /** Operations that were due, including those that never started. */
    long planned;
    private long clientsBusy;
    private long maxWaitNanos;
    private long late;
    private long maxLagNanos;

    /** Records the time that a due operation waited for a free client; negative if a client was free before. */
    void recordWait(long nanos) {
        if (nanos > OpenLoop.LATE_NANOS) {
            clientsBusy++;
        }
        maxWaitNanos = Math.max(maxWaitNanos, nanos);
    }

    /** Records the delay with which a free client started a due operation. */
    void recordLag(long nanos) {
        if (nanos > OpenLoop.LATE_NANOS) {
            late++;
        }
        maxLagNanos = Math.max(maxLagNanos, nanos);
    }

    void add(ScheduleAdherence other) {
        planned += other.planned;
        clientsBusy += other.clientsBusy;
        maxWaitNanos = Math.max(maxWaitNanos, other.maxWaitNanos);
        late += other.late;
        maxLagNanos = Math.max(maxLagNanos, other.maxLagNanos);
    }

    public long planned() {
        return planned;
    }

    /** Returns the number of operations that waited more than 100 ms for a free client, or never got one. */
    public long clientsBusy() {
        return clientsBusy;
    }

    public long maxWaitMicros() {
        return TimeUnit.NANOSECONDS.toMicros(maxWaitNanos);
    }

    /** Returns the number of operations that a free client started more than 100 ms late. */
    public long late() {
        return late;
    }

    public long maxLagMicros() {
        return TimeUnit.NANOSECONDS.toMicros(maxLagNanos);
    }
}
