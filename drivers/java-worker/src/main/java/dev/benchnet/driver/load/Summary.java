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
    /** The phases of the operations for which they were recorded. */
    public final PhaseSamples phases;
    /** The kinds of operations of a mix; empty without one. */
    public final List<KindRecording> kinds;

    Summary(long[] completedPerSecond, long[] failedPerSecond, long[] latencyMicrosPerSecond,
            List<IntervalRecording> intervals, PhaseSamples phases, List<KindRecording> kinds) {
        this.completedPerSecond = completedPerSecond;
        this.failedPerSecond = failedPerSecond;
        this.latencyMicrosPerSecond = latencyMicrosPerSecond;
        this.intervals = intervals;
        this.phases = phases;
        this.kinds = kinds;
        intervals.forEach(whole::add);
    }
}
