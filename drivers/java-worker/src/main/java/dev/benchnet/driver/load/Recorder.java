package dev.benchnet.driver.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What the clients saw. An operation belongs to the window if it was meant to start in it; its latency and its error count
 * even when it ends in the drain. The series count what ended within the window, whenever it had started: their
 * sum over the window is the throughput. Thread-safe.
 */
public final class Recorder {
    private final Timeline timeline;
    private final List<Part> intervals = new ArrayList<>();
    private final long[] completedPerSecond;
    private final long[] failedPerSecond;
    private long warmedUp;
    private long failedWarmUp;
    private boolean closed;

    public Recorder(Timeline timeline) {
        this.timeline = timeline;
        for (int i = 0; i < timeline.intervals(); i++) {
            intervals.add(new Part());
        }
        completedPerSecond = new long[timeline.windowSeconds];
        failedPerSecond = new long[timeline.windowSeconds];
    }

    /** Must be called for each slot before anything else becomes of it: what begins and does not end is Unfinished. */
    public synchronized void begin(Slot slot) {
        if (!closed && timeline.inWindow(slot.intended)) {
            interval(slot).begin();
        }
    }

    /** Returns whether the operation counts as completed in the window's histogram. */
    public synchronized boolean completed(Slot slot, long at) {
        if (closed) {
            return false;
        }
        warmedUp += count(completedPerSecond, at);
        if (!timeline.inWindow(slot.intended)) {
            return false;
        }
        interval(slot).completed(TimeUnit.NANOSECONDS.toMicros(at - slot.intended));
        return true;
    }

    public synchronized void failed(Slot slot, long at, String kind, String message) {
        if (closed) {
            return;
        }
        failedWarmUp += count(failedPerSecond, at);
        if (timeline.inWindow(slot.intended)) {
            interval(slot).failed(kind, message);
        }
    }

    /** Ends the recording: what has not ended by now never counts. */
    public synchronized Summary close() {
        if (!closed) {
            intervals.forEach(Part::close);
        }
        closed = true;
        return new Summary(completedPerSecond, failedPerSecond, intervals);
    }

    public synchronized Progress progress(long now) {
        Phase phase = timeline.phaseAt(now);
        if (phase == Phase.WarmUp) {
            return new Progress(phase, warmedUp, failedWarmUp, Math.max(0, now - timeline.start), new long[0]);
        }
        long until = Math.min(now, timeline.windowUntil());
        long[] perSecond = timeline.intervalSeconds == 0 ? new long[0]
                : Arrays.copyOf(completedPerSecond, timeline.secondOf(until));
        return new Progress(phase, sum(completedPerSecond), sum(failedPerSecond), until - timeline.windowFrom, perSecond);
    }

    private Part interval(Slot slot) {
        return intervals.get(timeline.intervalOf(slot.intended));
    }

    /** Counts an end within the window in its second; returns 1 if the end fell into the warm-up instead. */
    private int count(long[] series, long at) {
        if (timeline.inWindow(at)) {
            series[timeline.secondOf(at)]++;
        }
        return at < timeline.windowFrom ? 1 : 0;
    }

    private static long sum(long[] series) {
        long sum = 0;
        for (long value : series) {
            sum += value;
        }
        return sum;
    }
}
