import java.nio.ByteBuffer;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/**
 * Records known latencies with the Java library and prints what it says of them, as the JSON that
 * histogram_test.go reads. Run it with
 *   java -cp HdrHistogram-2.1.12.jar RecordHistogram.java 2.1.12 > java-2.1.12.json
 *   java -cp HdrHistogram-2.2.2.jar RecordHistogram.java 2.2.2 > java-2.2.2.json
 * (both jars are org.hdrhistogram:HdrHistogram of Maven Central).
 */
public class RecordHistogram {
    public static void main(String[] args) {
        Histogram histogram = new Histogram(1, 3_600_000_000L, 3);
        for (long i = 1; i <= 10_000; i++) {
            histogram.recordValue(i * 37);
        }
        for (long i = 0; i < 25; i++) {
            histogram.recordValue(5_000_000 + i * 100_000_000);
        }
        histogram.recordValue(1);
        histogram.recordValue(3_600_000_000L);
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        byte[] encoded = new byte[length];
        buffer.rewind();
        buffer.get(encoded);
        System.out.printf("{%n  \"library\": \"%s\",%n  \"count\": %d,%n  \"mean\": %s,%n  \"max\": %d,%n  \"percentiles\": {",
            args[0], histogram.getTotalCount(), Double.toString(histogram.getMean()), histogram.getMaxValue());
        String separator = "";
        for (String percentile : new String[] {"50", "90", "95", "99", "99.9"}) {
            System.out.printf("%s\"%s\": %d", separator, percentile, histogram.getValueAtPercentile(Double.parseDouble(percentile)));
            separator = ", ";
        }
        System.out.printf("},%n  \"histogram\": \"%s\"%n}%n", Base64.getEncoder().encodeToString(encoded));
    }
}
