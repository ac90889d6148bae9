package dev.benchnet.driver.load;

/** The record of one kind of operations of a mix. Not thread-safe. */
public final class KindRecording {
    public final String name;
    /** The operations whose planned start lies in the window. */
    private final IntervalRecording window = new IntervalRecording();
    private long completed;

    KindRecording(String name) {
        this.name = name;
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
