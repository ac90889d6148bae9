package dev.benchnet.driver.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/** The recorded window. */
public final class Summary {
    /** Receives one kind of error. */
    public interface ErrorVisitor {
        void visit(String kind, long count, String example);
    }

    private final Histogram histogram;
    public final long[] completedPerSecond;
    public final long[] failedPerSecond;
    private final ErrorTally errors;

    Summary(Histogram histogram, long[] completedPerSecond, long[] failedPerSecond, ErrorTally errors) {
        this.histogram = histogram;
        this.completedPerSecond = completedPerSecond;
        this.failedPerSecond = failedPerSecond;
        this.errors = errors;
    }

    /** Operations of the window that completed. */
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
