package dev.benchnet.driver.load;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.workload.Measure;

/** When each phase begins, in {@link Clock#nanos()}. The phases follow each other without a pause. */
public final class Timeline {
    private static final long SECOND = 1_000_000_000L;

    public final long start;
    public final long windowFrom;
    /** The first instant that is no longer in the window. */
    public final long windowUntil;
    public final long drainUntil;
    public final long windowStartEpochMillis;
    public final int windowSeconds;

    public Timeline(long start, long startEpochMillis, Measure measure) {
        this.start = start;
        windowFrom = start + measure.warmUpSeconds * SECOND;
        windowUntil = windowFrom + measure.windowSeconds * SECOND;
        drainUntil = windowUntil + measure.drainSeconds * SECOND;
        windowStartEpochMillis = startEpochMillis + measure.warmUpSeconds * 1000L;
        windowSeconds = measure.windowSeconds;
    }

    /** The timeline of a load that starts at an instant of the wall clock, a little ahead of now. */
    public static Timeline startingAt(long epochMillis, Measure measure, Clock clock) {
        long late = clock.epochMillis() - epochMillis;
        if (late > measure.warmUpSeconds * 1000L) {
            throw new FatalException("start: the instant had passed " + late + " ms before this worker read it, "
                    + "which is longer than the warm-up of " + measure.warmUpSeconds + " s");
        }
        return new Timeline(clock.nanos() - late * 1_000_000L, epochMillis, measure);
    }

    public Phase phaseAt(long nanos) {
        if (nanos < windowFrom) {
            return Phase.WarmUp;
        }
        return nanos < windowUntil ? Phase.Window : Phase.Drain;
    }

    /** The second of the window, from 0, in which an instant of the window lies. */
    public int secondOf(long nanos) {
        return (int) ((nanos - windowFrom) / SECOND);
    }
}
