package dev.benchnet.driver.load;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.workload.Measure;

/**
 * The start of each phase, in {@link Clock#nanos()}. The phases follow each other without a pause. The window has the
 * length of the workload; if it may stop early, the agent discards what is recorded after the stop.
 */
public final class Timeline {
    private static final long SECOND = 1_000_000_000L;
    /** The maximum delay until a sleeping client notices the stop. */
    private static final long STOP_NOTICE = SECOND / 10;

    public final long start;
    public final long windowFrom;
    public final long windowStartEpochMillis;
    public final int windowSeconds;
    /** 0: the window is not divided. */
    public final int intervalSeconds;
    /** Reports whether {@link #stopAt} may end the window early. */
    public final boolean stopsEarly;
    private final long drain;
    private volatile long windowUntil;

    public Timeline(long start, long startEpochMillis, Measure measure) {
        this.start = start;
        windowFrom = start + measure.warmUpSeconds * SECOND;
        windowUntil = windowFrom + measure.windowSeconds * SECOND;
        drain = measure.drainSeconds * SECOND;
        windowStartEpochMillis = startEpochMillis + measure.warmUpSeconds * 1000L;
        windowSeconds = measure.windowSeconds;
        intervalSeconds = measure.intervalSeconds;
        stopsEarly = measure.stopsEarly;
    }

    /** Returns the timeline of a load that starts at an instant of the wall clock, slightly in the future. */
    public static Timeline startingAt(long epochMillis, Measure measure, Clock clock) {
        long late = clock.epochMillis() - epochMillis;
        if (late > measure.warmUpSeconds * 1000L) {
            throw new FatalException("start: the instant had passed " + late + " ms before this worker read it, "
                    + "which is longer than the warm-up of " + measure.warmUpSeconds + " s");
        }
        return new Timeline(clock.nanos() - late * 1_000_000L, epochMillis, measure);
    }

    /** Returns the first instant at which no operation is due. */
    public long windowUntil() {
        return windowUntil;
    }

    public long drainUntil() {
        return windowUntil + drain;
    }

    /** Ends the window at an instant of the wall clock, if it may stop early and would end later. */
    public void stopAt(long epochMillis) {
        long until = windowFrom + (epochMillis - windowStartEpochMillis) * 1_000_000L;
        if (stopsEarly && until > windowFrom && until < windowUntil) {
            windowUntil = until;
        }
    }

    /** Waits until the instant at which an operation is due. Returns false if the window stops before it. */
    boolean awaitDue(long due, Clock clock) throws InterruptedException {
        while (stopsEarly && due - clock.nanos() > STOP_NOTICE && due < windowUntil) {
            clock.sleepUntil(clock.nanos() + STOP_NOTICE);
        }
        if (due >= windowUntil) {
            return false;
        }
        clock.sleepUntil(due);
        return due < windowUntil;
    }

    public Phase phaseAt(long nanos) {
        if (nanos < windowFrom) {
            return Phase.WarmUp;
        }
        return nanos < windowUntil ? Phase.Window : Phase.Drain;
    }

    /** Reports whether an instant lies in the full window of the workload. */
    boolean inWindow(long nanos) {
        return nanos >= windowFrom && nanos < windowFrom + windowSeconds * SECOND;
    }

    /** Returns the second of the window, from 0, that contains an instant of the window. */
    public int secondOf(long nanos) {
        return (int) ((nanos - windowFrom) / SECOND);
    }

    /** Returns the number of intervals of the window; 1 if it is not divided. */
    int intervalCount() {
        return intervalSeconds == 0 ? 1 : windowSeconds / intervalSeconds;
    }

    /** Returns the interval of the window, from 0, that contains an instant of the window. */
    int intervalOf(long nanos) {
        return intervalSeconds == 0 ? 0 : secondOf(nanos) / intervalSeconds;
    }
}
