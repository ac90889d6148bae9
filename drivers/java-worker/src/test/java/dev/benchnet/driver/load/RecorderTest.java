package dev.benchnet.driver.load;

import static dev.benchnet.driver.load.FakeClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.benchnet.driver.workload.Measures;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Warm-up 0 to 2 s, window 2 to 5 s, drain to 6 s. */
class RecorderTest {
    private final Recorder recorder = new Recorder(new Timeline(0, 0, Measures.of(2, 3, 1)));

    private Slot begin(double seconds) {
        Slot slot = new Slot(0, at(seconds));
        recorder.begin(slot);
        return slot;
    }

    private static long at(double seconds) {
        return Math.round(seconds * SECOND);
    }

    private static List<String> errors(Summary summary) {
        List<String> errors = new ArrayList<>();
        summary.errors((kind, count, example) -> errors.add(kind + " " + count + " " + example));
        return errors;
    }

    @Test
    void aFlowBelongsToTheWindowByItsStartAndToItsSecondByItsEnd() {
        assertFalse(recorder.completed(begin(1.0), at(1.5)), "began and ended in the warm-up");
        assertFalse(recorder.completed(begin(1.9), at(2.1)), "began in the warm-up");
        assertTrue(recorder.completed(begin(2.0), at(4.999)), "began with the window");
        assertTrue(recorder.completed(begin(4.9), at(5.0)), "ended in the drain");

        Summary summary = recorder.close();

        assertEquals(2, summary.completed());
        assertArrayEquals(new long[] {1, 0, 1}, summary.completedPerSecond);
        assertEquals(Collections.emptyList(), errors(summary));
    }

    @Test
    void whatBeginsInTheWindowAndDoesNotEndIsUnfinished() {
        begin(1.9);
        begin(2.0);
        Slot late = begin(4.0);
        recorder.failed(begin(3.0), at(3.5), "some.Exception", "no");

        Summary summary = recorder.close();
        assertEquals(Arrays.asList("Unfinished 2 not completed within the drain after the window", "some.Exception 1 no"),
                errors(summary));
        assertFalse(recorder.completed(late, at(7)), "it is too late to count");
        assertEquals(0, recorder.close().completed());
    }

    @Test
    void errorsAreCountedByKindWithTheFirstMessageOnOneShortLine() {
        char[] text = new char[300];
        Arrays.fill(text, 'x');
        recorder.failed(begin(2.5), at(2.6), "a.B", "first\n\tmessage");
        recorder.failed(begin(2.5), at(4.6), "a.B", "second message");
        recorder.failed(begin(2.5), at(5.6), "c.D", new String(text));
        recorder.failed(begin(1.5), at(1.6), "e.F", "in the warm-up");
        recorder.failed(begin(3.5), at(3.6), "g.H", null);

        Summary summary = recorder.close();

        List<String> errors = errors(summary);
        assertEquals("a.B 2 first message", errors.get(0));
        assertEquals("c.D 1 ".length() + 200, errors.get(1).length());
        assertEquals("g.H 1 ", errors.get(2));
        assertEquals(3, errors.size());
        assertArrayEquals(new long[] {1, 1, 1}, summary.failedPerSecond);
    }

    @Test
    void theHistogramHoldsMicrosecondsAndCanBeReadBack() throws Exception {
        recorder.completed(begin(2), at(2.0125));
        recorder.completed(begin(2), at(2.1));

        byte[] encoded = Base64.getDecoder().decode(recorder.close().encodedHistogram());
        Histogram histogram = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(encoded), 0);

        assertEquals(2, histogram.getTotalCount());
        assertTrue(histogram.valuesAreEquivalent(12_500, histogram.getMinValue()));
        assertTrue(histogram.valuesAreEquivalent(100_000, histogram.getMaxValue()));
        assertEquals(3_600_000_000L, histogram.getHighestTrackableValue());
        assertEquals(3, histogram.getNumberOfSignificantValueDigits());
    }

    @Test
    void progressSpeaksOfTheWarmUpFirstAndOfTheWindowThen() {
        recorder.completed(begin(0), at(0.5));
        recorder.completed(begin(0), at(0.9));
        recorder.failed(begin(0), at(0.9), "a.B", "");

        Progress warmUp = recorder.progress(at(1));
        assertEquals(Phase.WarmUp, warmUp.phase);
        assertEquals(2, warmUp.completed);
        assertEquals(1, warmUp.failed);
        assertEquals(2.0, warmUp.throughput());

        recorder.completed(begin(2), at(2.5));
        Progress window = recorder.progress(at(4));
        assertEquals(Phase.Window, window.phase);
        assertEquals(1, window.completed);
        assertEquals(0, window.failed);
        assertEquals(0.5, window.throughput());

        Progress drain = recorder.progress(at(5.5));
        assertEquals(Phase.Drain, drain.phase);
        assertEquals(3.0, drain.elapsedSeconds, "throughput is that of the window");
    }

    @Test
    void progressBeforeTheStartIsEmpty() {
        assertEquals(0, recorder.progress(at(-3)).elapsedSeconds);
        assertEquals(0, recorder.progress(at(-3)).throughput());
    }
}
