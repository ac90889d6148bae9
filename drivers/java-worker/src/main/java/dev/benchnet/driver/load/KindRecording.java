package dev.benchnet.driver.load;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** The record of one kind of operations of a mix. Not thread-safe. */
public final class KindRecording {
    public final String name;
    /** The parts of this record in the segments of the window, in their order; empty without segments. */
    public final List<KindRecording> segments = new ArrayList<>();
    /** The end of each segment, in seconds of the window. */
    private final List<Integer> segmentEnds;
    /** The operations whose planned start lies in the window. */
    private final IntervalRecording window = new IntervalRecording();
    private long completed;

    KindRecording(String name, List<Integer> segmentEnds) {
        this.name = name;
        this.segmentEnds = segmentEnds;
        segmentEnds.forEach(end -> segments.add(new KindRecording(name, Collections.emptyList())));
    }

    /** Records something that happened in a second of the window, in the whole and in its segment. */
    void recordAt(int second, Consumer<KindRecording> record) {
        record.accept(this);
        for (int i = 0; i < segments.size(); i++) {
            if (second < segmentEnds.get(i)) {
                record.accept(segments.get(i));
                return;
            }
        }
    }

    void recordStart() {
        window.recordStart();
    }

    void recordLatency(long nanos) {
        window.recordCompletion(nanos);
    }

    void countCompleted() {
        completed++;
    }

    /** Returns the number of operations that completed within the window, whenever they started. */
    public long completedCount() {
        return completed;
    }

    /** Returns the number of operations of the window that started and did not complete. */
    public long failedCount() {
        return window.startedCount() - window.completedCount();
    }

    /** Returns the latencies as {@link IntervalRecording#encodedHistogram()} does. */
    public String encodedHistogram() {
        return window.encodedHistogram();
    }
}
