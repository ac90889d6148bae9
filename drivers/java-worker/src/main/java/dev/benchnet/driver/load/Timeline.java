package dev.benchnet.driver.load;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.workload.Measure;

/**
 * When each phase begins, in {@link Clock#nanos()}. The phases follow each other without a pause. The window is as long as
 * was ordered; where it has intervals, the load may stop earlier. What is recorded behind the stop is cut off by the agent.
 */
public final class Timeline {
    private static final long SECOND = 1_000_000_000L;
    /** How late a client that sleeps may learn of the stop. */
    private static final long STOP_NOTICE = SECOND / 10;

    public final long start;
    public final long windowFrom;
    public final long windowStartEpochMillis;
    public final int windowSeconds;
    /** 0: the window is not divided, and does not stop earlier. */
    public final int intervalSeconds;
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

    /** The first instant at which no operation is due any more. */
    public long windowUntil() {
        return windowUntil;
    }

    public long drainUntil() {
        return windowUntil + drain;
    }

    /** Ends the window at an instant of the wall clock, unless it ends before that, or as ordered in any case. */
    public void stopAt(long epochMillis) {
        long until = windowFrom + (epochMillis - windowStartEpochMillis) * 1_000_000L;
        if (intervalSeconds > 0 && until > windowFrom && until < windowUntil) {
            windowUntil = until;
        }
    }

    /** Waits until an instant at which an operation is due. False: it is due no more, because the window stops before. */
    boolean await(long due, Clock clock) throws InterruptedException {
        while (intervalSeconds > 0 && due - clock.nanos() > STOP_NOTICE && due < windowUntil) {
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

    /** Whether an instant lies in the window, as long as was ordered. */
    boolean inWindow(long nanos) {
        return nanos >= windowFrom && nanos < windowFrom + windowSeconds * SECOND;
    }

    /** The second of the window, from 0, in which an instant of the window lies. */
    public int secondOf(long nanos) {
        return (int) ((nanos - windowFrom) / SECOND);
    }

    /** How many intervals the window has; one that is not divided is one. */
    int intervals() {
        return intervalSeconds == 0 ? 1 : windowSeconds / intervalSeconds;
    }

    /** The interval of the window, from 0, in which an instant of the window lies. */
    int intervalOf(long nanos) {
        return intervalSeconds == 0 ? 0 : secondOf(nanos) / intervalSeconds;
    }
}
