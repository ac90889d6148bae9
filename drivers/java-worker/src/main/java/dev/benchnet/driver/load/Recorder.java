package dev.benchnet.driver.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What the clients saw. An operation belongs to the window if it was meant to start in it; its latency and its error count
 * even when it ends in the drain. The series count what ended within the window, whenever it had started: their
 * sum over the window is the throughput. Thread-safe.
 */
public final class Recorder {
    /** Latencies are kept in microseconds, up to an hour, to three significant digits. */
    private static final long MAX_MICROS = 3_600_000_000L;

    private final Timeline timeline;
    private final Histogram histogram = new Histogram(1, MAX_MICROS, 3);
    private final long[] completedPerSecond;
    private final long[] failedPerSecond;
    private final ErrorTally errors = new ErrorTally();
    private long begun;
    private long ended;
    private long warmedUp;
    private long failedWarmUp;
    private boolean closed;

    public Recorder(Timeline timeline) {
        this.timeline = timeline;
        completedPerSecond = new long[timeline.windowSeconds];
        failedPerSecond = new long[timeline.windowSeconds];
    }

    /** Must be called for each slot before anything else becomes of it: what begins and does not end is Unfinished. */
    public synchronized void begin(Slot slot) {
        if (!closed && inWindow(slot)) {
            begun++;
        }
    }

    /** Returns whether the operation counts as completed in the window's histogram. */
    public synchronized boolean completed(Slot slot, long at) {
        if (closed) {
            return false;
        }
        warmedUp += count(completedPerSecond, at);
        if (!inWindow(slot)) {
            return false;
        }
        ended++;
        long micros = TimeUnit.NANOSECONDS.toMicros(at - slot.intended);
        histogram.recordValue(Math.max(1, Math.min(MAX_MICROS, micros)));
        return true;
    }

    public synchronized void failed(Slot slot, long at, String kind, String message) {
        if (closed) {
            return;
        }
        failedWarmUp += count(failedPerSecond, at);
        if (inWindow(slot)) {
            ended++;
            errors.add(kind, message, 1);
        }
    }

    /** Ends the recording: what has not ended by now never counts. */
    public synchronized Summary close() {
        if (!closed && begun > ended) {
            errors.add("Unfinished", "not completed within the drain after the window", begun - ended);
        }
        closed = true;
        return new Summary(histogram, completedPerSecond, failedPerSecond, errors);
    }

    public synchronized Progress progress(long now) {
        Phase phase = timeline.phaseAt(now);
        if (phase == Phase.WarmUp) {
            return new Progress(phase, warmedUp, failedWarmUp, Math.max(0, now - timeline.start));
        }
        return new Progress(phase, sum(completedPerSecond), sum(failedPerSecond),
                Math.min(now, timeline.windowUntil) - timeline.windowFrom);
    }

    private boolean inWindow(Slot slot) {
        return timeline.phaseAt(slot.intended) == Phase.Window;
    }

    /** Counts an end within the window in its second; returns 1 if the end fell into the warm-up instead. */
    private int count(long[] series, long at) {
        Phase phase = timeline.phaseAt(at);
        if (phase == Phase.Window) {
            series[timeline.secondOf(at)]++;
        }
        return phase == Phase.WarmUp ? 1 : 0;
    }

    private static long sum(long[] series) {
        long sum = 0;
        for (long value : series) {
            sum += value;
        }
        return sum;
    }
}
