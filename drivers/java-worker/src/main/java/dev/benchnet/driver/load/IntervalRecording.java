package dev.benchnet.driver.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The record of the operations whose planned start lies in one part of the window. Not thread-safe. */
public final class IntervalRecording {
    /** Receives one kind of error. */
    public interface ErrorVisitor {
        void visit(String kind, long count, String example);
    }

    /** Latencies are recorded in microseconds, up to an hour, with three significant digits. */
    private static final long MAX_MICROS = 3_600_000_000L;
    private static final long MAX_NANOS = MAX_MICROS * 1000;

    private final Histogram histogram = new Histogram(1, MAX_MICROS, 3);
    private final ErrorCounts errors = new ErrorCounts();
    private final ScheduleAdherence schedule = new ScheduleAdherence();
    private long started;
    private long ended;
    private long negative;
    private long tooLong;

    void recordStart() {
        started++;
    }

    /** Records a latency. The histogram holds the nearest value to one that is out of range, which is counted too. */
    void recordCompletion(long nanos) {
        ended++;
        negative += nanos < 0 ? 1 : 0;
        tooLong += nanos > MAX_NANOS ? 1 : 0;
        long micros = TimeUnit.NANOSECONDS.toMicros(nanos);
        histogram.recordValue(Math.max(1, Math.min(MAX_MICROS, micros)));
    }

    void recordFailure(String kind, String message) {
        ended++;
        errors.add(kind, message, 1);
    }

    /** Counts the operations as errors that were planned or started and have not ended. */
    void close(ScheduleAdherence schedule) {
        this.schedule.add(schedule);
        long due = Math.max(started, schedule.planned);
        if (due > ended) {
            errors.add("Unfinished", "not completed within the drain after the window", due - ended);
        }
    }

    void add(IntervalRecording other) {
        histogram.add(other.histogram);
        schedule.add(other.schedule);
        negative += other.negative;
        tooLong += other.tooLong;
        other.visitErrors((kind, count, example) -> errors.add(kind, example, count));
    }

    long startedCount() {
        return started;
    }

    /** Returns the number of completed operations. */
    public long completedCount() {
        return histogram.getTotalCount();
    }

    public void visitErrors(ErrorVisitor visitor) {
        errors.entries().forEach((kind, entry) -> visitor.visit(kind, entry.count, entry.example));
    }

    /** Returns the number of latencies below 0. */
    public long negativeCount() {
        return negative;
    }

    /** Returns the number of latencies above an hour. */
    public long tooLongCount() {
        return tooLong;
    }

    long maxMicros() {
        return histogram.getMaxValue();
    }

    public ScheduleAdherence schedule() {
        return schedule;
    }

    /** Returns the histogram in HdrHistogram's compressed V2 format, in base64. */
    public String encodedHistogram() {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
