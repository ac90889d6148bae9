package dev.benchnet.driver.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Records the operations of all clients. An operation belongs to the window if its planned start lies in it; its
 * latency or error counts even if it ends in the drain. The series count operations that end within the window,
 * whenever they started: their sum over the window is the throughput. Thread-safe.
 */
public final class Recorder {
    private final Timeline timeline;
    private final List<IntervalRecording> intervals = new ArrayList<>();
    private final long[] completedPerSecond;
    private final long[] failedPerSecond;
    private final long[] latencyMicrosPerSecond;
    private final LoadTotals totals = new LoadTotals();
    private final PhaseSamples phases = new PhaseSamples();
    /** Empty unless the kinds of operations are recorded separately. */
    private final List<KindRecording> kinds = new ArrayList<>();
    private long warmedUp;
    private long failedWarmUp;
    private boolean closed;

    public Recorder(Timeline timeline) {
        this.timeline = timeline;
        for (int i = 0; i < timeline.intervalCount(); i++) {
            intervals.add(new IntervalRecording());
        }
        completedPerSecond = new long[timeline.windowSeconds];
        failedPerSecond = new long[timeline.windowSeconds];
        latencyMicrosPerSecond = new long[timeline.windowSeconds];
    }

    /**
     * Makes the recorder record each kind of operations separately, too, also in each segment, of which it takes the ends in
     * seconds of the window. Call it before the load.
     */
    public synchronized void separateKinds(List<String> names, List<Integer> segmentEnds) {
        names.forEach(name -> kinds.add(new KindRecording(name, segmentEnds)));
    }

    /** Must be called first for each slot. An operation that begins and does not end is counted as Unfinished. */
    public synchronized void recordStart(Slot slot) {
        if (!closed && timeline.inWindow(slot.intended)) {
            recordingFor(slot).recordStart();
            recordKind(slot, slot.intended, KindRecording::recordStart);
        }
    }

    /** Reports whether the operation counts as completed in the window's histogram. */
    public synchronized boolean recordCompletion(Slot slot, long at) {
        if (closed) {
            return false;
        }
        warmedUp += incrementSecond(completedPerSecond, at);
        long micros = Math.max(0, TimeUnit.NANOSECONDS.toMicros(at - slot.intended));
        totals.addCompletion(micros);
        if (timeline.inWindow(at)) {
            latencyMicrosPerSecond[timeline.secondOf(at)] += micros;
            recordKind(slot, at, KindRecording::countCompleted);
        }
        if (!timeline.inWindow(slot.intended)) {
            return false;
        }
        recordingFor(slot).recordCompletion(at - slot.intended);
        recordKind(slot, slot.intended, kind -> kind.recordLatency(at - slot.intended));
        return true;
    }

    /** Records the phases of a completed operation, in their order. */
    public synchronized void recordPhases(Slot slot, Map<String, Long> nanosByPhase) {
        if (!closed && timeline.inWindow(slot.intended)) {
            phases.add(timeline.secondOf(slot.intended), nanosByPhase);
        }
    }

    public synchronized void recordFailure(Slot slot, long at, String kind, String message) {
        if (closed) {
            return;
        }
        failedWarmUp += incrementSecond(failedPerSecond, at);
        totals.addFailure(kind);
        if (timeline.inWindow(slot.intended)) {
            recordingFor(slot).recordFailure(kind, message);
        }
    }

    /** Ends the recording. Operations that end later do not count. The schedules are those of the pacing. */
    public synchronized Summary close(ScheduleAdherence[] schedules) {
        for (int i = 0; i < intervals.size() && !closed; i++) {
            intervals.get(i).close(schedules[i]);
        }
        closed = true;
        return new Summary(completedPerSecond, failedPerSecond, latencyMicrosPerSecond, intervals, phases, kinds);
    }

    public synchronized Progress currentProgress(long now) {
        Phase phase = timeline.phaseAt(now);
        if (phase == Phase.WarmUp) {
            return new Progress(phase, warmedUp, failedWarmUp, Math.max(0, now - timeline.start), new long[0], new long[0],
                    totals.copy());
        }
        long until = Math.min(now, timeline.windowUntil());
        int seconds = timeline.stopsEarly ? timeline.secondOf(until) : 0;
        return new Progress(phase, sum(completedPerSecond), sum(failedPerSecond), until - timeline.windowFrom,
                Arrays.copyOf(completedPerSecond, seconds), Arrays.copyOf(latencyMicrosPerSecond, seconds), totals.copy());
    }

    private IntervalRecording recordingFor(Slot slot) {
        return intervals.get(timeline.intervalOf(slot.intended));
    }

    /** Records something that happened at an instant of the window in the kind of the operation, if kinds are separate. */
    private void recordKind(Slot slot, long at, Consumer<KindRecording> record) {
        if (!kinds.isEmpty()) {
            kinds.get(slot.kind).recordAt(timeline.secondOf(at), record);
        }
    }

    /** Counts an operation that ended within the window in its second; returns 1 if it ended in the warm-up instead. */
    private int incrementSecond(long[] series, long at) {
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
