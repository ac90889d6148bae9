package dev.benchnet.driver.load;

/**
 * How far a worker is. The numbers are those of the warm-up while it lasts, and those of the window from then on:
 * operations that ended in it, and how much of it has passed.
 */
public final class Progress {
    public final Phase phase;
    public final long completed;
    public final long failed;
    public final double elapsedSeconds;
    /** Where the window has intervals: what completed in each second of it that is over. */
    public final long[] completedPerSecond;

    Progress(Phase phase, long completed, long failed, long elapsedNanos, long[] completedPerSecond) {
        this.phase = phase;
        this.completed = completed;
        this.failed = failed;
        elapsedSeconds = elapsedNanos / 1e9;
        this.completedPerSecond = completedPerSecond;
    }

    /** Operations per second. */
    public double throughput() {
        return elapsedSeconds == 0 ? 0 : completed / elapsedSeconds;
    }
}
