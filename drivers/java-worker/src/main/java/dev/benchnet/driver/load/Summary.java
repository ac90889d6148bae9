package dev.benchnet.driver.load;

import java.util.List;

/** The recorded window. */
public final class Summary {
    public final long[] completedPerSecond;
    public final long[] failedPerSecond;
    /** The sums of the latencies of the operations that completed in each second. */
    public final long[] latencyMicrosPerSecond;
    /** The intervals of the window; one if it is not divided. */
    public final List<IntervalRecording> intervals;
    /** The sum of all intervals. */
    public final IntervalRecording whole = new IntervalRecording();

    Summary(long[] completedPerSecond, long[] failedPerSecond, long[] latencyMicrosPerSecond,
            List<IntervalRecording> intervals) {
        this.completedPerSecond = completedPerSecond;
        this.failedPerSecond = failedPerSecond;
        this.latencyMicrosPerSecond = latencyMicrosPerSecond;
        this.intervals = intervals;
        intervals.forEach(whole::add);
    }
}
