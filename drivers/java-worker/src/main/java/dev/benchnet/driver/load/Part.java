package dev.benchnet.driver.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/** What belongs to the operations that were meant to start in one stretch of the window. Not thread-safe. */
public final class Part {
    /** Receives one kind of error. */
    public interface ErrorVisitor {
        void visit(String kind, long count, String example);
    }

    /** Latencies are kept in microseconds, up to an hour, to three significant digits. */
    private static final long MAX_MICROS = 3_600_000_000L;

    private final Histogram histogram = new Histogram(1, MAX_MICROS, 3);
    private final ErrorTally errors = new ErrorTally();
    private long begun;
    private long ended;

    void begin() {
        begun++;
    }

    void completed(long micros) {
        ended++;
        histogram.recordValue(Math.max(1, Math.min(MAX_MICROS, micros)));
    }

    void failed(String kind, String message) {
        ended++;
        errors.add(kind, message, 1);
    }

    /** What has not ended by now never will. */
    void close() {
        if (begun > ended) {
            errors.add("Unfinished", "not completed within the drain after the window", begun - ended);
        }
    }

    void add(Part other) {
        histogram.add(other.histogram);
        other.errors((kind, count, example) -> errors.add(kind, example, count));
    }

    /** Operations that completed. */
    public long completed() {
        return histogram.getTotalCount();
    }

    public void errors(ErrorVisitor visitor) {
        errors.entries().forEach((kind, entry) -> visitor.visit(kind, entry.count, entry.example));
    }

    /** HdrHistogram's V2 compressed format, base64. */
    public String encodedHistogram() {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
