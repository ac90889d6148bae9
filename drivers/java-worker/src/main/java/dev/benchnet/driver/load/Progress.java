package dev.benchnet.driver.load;

/**
 * A worker's progress. During the warm-up the numbers are those of the warm-up, and afterwards those of the window:
 * the operations that ended in it and the elapsed part of it.
 */
public final class Progress {
    public final Phase phase;
    public final long completed;
    public final long failed;
    public final double elapsedSeconds;
    /** If the window may stop early: completed operations in each past second of the window. */
    public final long[] completedPerSecond;
    /** The sums of their latencies. */
    public final long[] latencyMicrosPerSecond;
    /** What has ended since the start of the load. */
    public final LoadTotals totals;

    Progress(Phase phase, long completed, long failed, long elapsedNanos, long[] completedPerSecond,
            long[] latencyMicrosPerSecond, LoadTotals totals) {
        this.phase = phase;
        this.completed = completed;
        this.failed = failed;
        elapsedSeconds = elapsedNanos / 1e9;
        this.completedPerSecond = completedPerSecond;
        this.latencyMicrosPerSecond = latencyMicrosPerSecond;
        this.totals = totals;
    }

    /** Operations per second. */
    public double throughput() {
        return elapsedSeconds == 0 ? 0 : completed / elapsedSeconds;
    }
}
