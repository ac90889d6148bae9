package dev.benchnet.driver.load;

import java.util.List;

/** The recorded window. */
public final class Summary {
    public final long[] completedPerSecond;
    public final long[] failedPerSecond;
    /** The intervals of the window; one if it is not divided. */
    public final List<Part> intervals;
    /** The sum of all intervals. */
    public final Part whole = new Part();

    Summary(long[] completedPerSecond, long[] failedPerSecond, List<Part> intervals) {
        this.completedPerSecond = completedPerSecond;
        this.failedPerSecond = failedPerSecond;
        this.intervals = intervals;
        intervals.forEach(whole::add);
    }
}
