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
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Warm-up 0 to 2 s, window 2 to 5 s, drain to 6 s. */
class RecorderTest {
    private final Recorder recorder = new Recorder(new Timeline(0, 0, Measures.of(2, 3, 1)));

    private Slot begin(double seconds) {
        Slot slot = new Slot(0, at(seconds), 0);
        recorder.recordStart(slot);
        return slot;
    }

    private static long at(double seconds) {
        return Math.round(seconds * SECOND);
    }

    /** Ends a recording of a closed loop. */
    private static Summary close(Recorder recorder) {
        ScheduleAdherence[] unplanned = new ScheduleAdherence[4];
        Arrays.setAll(unplanned, i -> new ScheduleAdherence());
        return recorder.close(unplanned);
    }

    private static List<String> errors(Summary summary) {
        return errors(summary.whole);
    }

    private static List<String> errors(IntervalRecording part) {
        List<String> errors = new ArrayList<>();
        part.visitErrors((kind, count, example) -> errors.add(kind + " " + count + " " + example));
        return errors;
    }

    @Test
    void aFlowBelongsToTheWindowByItsStartAndToItsSecondByItsEnd() {
        assertFalse(recorder.recordCompletion(begin(1.0), at(1.5)), "began and ended in the warm-up");
        assertFalse(recorder.recordCompletion(begin(1.9), at(2.1)), "began in the warm-up");
        assertTrue(recorder.recordCompletion(begin(2.0), at(4.999)), "began with the window");
        assertTrue(recorder.recordCompletion(begin(4.9), at(5.0)), "ended in the drain");

        Summary summary = close(recorder);

        assertEquals(2, summary.whole.completedCount());
        assertArrayEquals(new long[] {1, 0, 1}, summary.completedPerSecond);
        assertArrayEquals(new long[] {200_000, 0, 2_999_000}, summary.latencyMicrosPerSecond);
        assertEquals(Collections.emptyList(), errors(summary));
    }

    @Test
    void countsOperationsThatNeverEndAsUnfinished() {
        begin(1.9);
        begin(2.0);
        Slot late = begin(4.0);
        recorder.recordFailure(begin(3.0), at(3.5), "some.Exception", "no");

        Summary summary = close(recorder);
        assertEquals(Arrays.asList("Unfinished 2 not completed within the drain after the window", "some.Exception 1 no"),
                errors(summary));
        assertFalse(recorder.recordCompletion(late, at(7)), "it is too late to count");
        assertEquals(0, close(recorder).whole.completedCount());
    }

    @Test
    void countsPlannedOperationsThatNeverStartedAsUnfinished() {
        recorder.recordCompletion(begin(2.0), at(2.1));
        recorder.recordFailure(begin(3.0), at(3.5), "some.Exception", "no");
        ScheduleAdherence schedule = new ScheduleAdherence();
        schedule.planned = 20;

        Summary summary = recorder.close(new ScheduleAdherence[] {schedule});
        assertEquals(Arrays.asList("Unfinished 18 not completed within the drain after the window", "some.Exception 1 no"),
                errors(summary));
        assertEquals(20, summary.whole.schedule().planned());
    }

    @Test
    void errorsAreCountedByKindWithTheFirstMessageOnOneShortLine() {
        char[] text = new char[300];
        Arrays.fill(text, 'x');
        recorder.recordFailure(begin(2.5), at(2.6), "a.B", "first\n\tmessage");
        recorder.recordFailure(begin(2.5), at(4.6), "a.B", "second message");
        recorder.recordFailure(begin(2.5), at(5.6), "c.D", new String(text));
        recorder.recordFailure(begin(1.5), at(1.6), "e.F", "in the warm-up");
        recorder.recordFailure(begin(3.5), at(3.6), "g.H", null);

        Summary summary = close(recorder);

        List<String> errors = errors(summary);
        assertEquals("a.B 2 first message", errors.get(0));
        assertEquals("c.D 1 ".length() + 200, errors.get(1).length());
        assertEquals("g.H 1 ", errors.get(2));
        assertEquals(3, errors.size());
        assertArrayEquals(new long[] {1, 1, 1}, summary.failedPerSecond);
    }

    @Test
    void theHistogramHoldsMicrosecondsAndCanBeReadBack() throws Exception {
        recorder.recordCompletion(begin(2), at(2.0125));
        recorder.recordCompletion(begin(2), at(2.1));

        byte[] encoded = Base64.getDecoder().decode(close(recorder).whole.encodedHistogram());
        Histogram histogram = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(encoded), 0);

        assertEquals(2, histogram.getTotalCount());
        assertTrue(histogram.valuesAreEquivalent(12_500, histogram.getMinValue()));
        assertTrue(histogram.valuesAreEquivalent(100_000, histogram.getMaxValue()));
        assertEquals(3_600_000_000L, histogram.getHighestTrackableValue());
        assertEquals(3, histogram.getNumberOfSignificantValueDigits());
    }

    @Test
    void countsLatenciesThatTheHistogramClamps() {
        Recorder hours = new Recorder(new Timeline(0, 0, Measures.of(0, 3, 10_000)));
        for (double end : new double[] {0.5, 0.9, 3601.1, 3602, 4000}) {
            Slot slot = new Slot(0, at(1), 0);
            hours.recordStart(slot);
            hours.recordCompletion(slot, at(end));
        }

        IntervalRecording whole = close(hours).whole;
        assertEquals(5, whole.completedCount());
        assertEquals(2, whole.negativeCount());
        assertEquals(3, whole.tooLongCount());
    }

    @Test
    void progressCoversTheWarmUpFirstAndThenTheWindow() {
        recorder.recordCompletion(begin(0), at(0.5));
        recorder.recordCompletion(begin(0), at(0.9));
        recorder.recordFailure(begin(0), at(0.9), "a.B", "");

        Progress warmUp = recorder.currentProgress(at(1));
        assertEquals(Phase.WarmUp, warmUp.phase);
        assertEquals(2, warmUp.completed);
        assertEquals(1, warmUp.failed);
        assertEquals(2.0, warmUp.throughput());

        recorder.recordCompletion(begin(2), at(2.5));
        Progress window = recorder.currentProgress(at(4));
        assertEquals(Phase.Window, window.phase);
        assertEquals(1, window.completed);
        assertEquals(0, window.failed);
        assertEquals(0.5, window.throughput());

        Progress drain = recorder.currentProgress(at(5.5));
        assertEquals(Phase.Drain, drain.phase);
        assertEquals(3.0, drain.elapsedSeconds, "throughput is that of the window");
    }

    @Test
    void progressBeforeTheStartIsEmpty() {
        assertEquals(0, recorder.currentProgress(at(-3)).elapsedSeconds);
        assertEquals(0, recorder.currentProgress(at(-3)).throughput());
    }

    /** A window of 20 s in intervals of 5 s that is stopped after 10 s must equal a recorded window of 10 s. */
    @Test
    void intervalsBeforeTheStopEqualAWindowOfThatLength() throws Exception {
        Timeline stopped = new Timeline(0, 0, Measures.stoppingEarly(20, 5, 5));
        Recorder inIntervals = new Recorder(stopped);
        Recorder shorter = new Recorder(new Timeline(0, 0, Measures.of(0, 10, 5)));
        Random random = new Random(4);
        for (int i = 0; i < 5000; i++) {
            if (i == 4000) {
                stopped.stopAt(10_000);
            }
            Slot slot = new Slot(i, at(random.nextDouble() * 14), 0);
            long end = slot.intended + at(random.nextDouble() * 2);
            for (Recorder each : Arrays.asList(inIntervals, shorter)) {
                each.recordStart(slot);
                if (i % 50 == 0) {
                    each.recordFailure(slot, end, "kind-" + i % 3, "first");
                } else if (i % 70 != 0) {
                    each.recordCompletion(slot, end);
                }
            }
        }
        Summary whole = close(inIntervals);
        IntervalRecording firstHalf = new IntervalRecording();
        whole.intervals.subList(0, 2).forEach(firstHalf::add);

        Summary wanted = close(shorter);
        assertEquals(4, whole.intervals.size());
        assertTrue(wanted.whole.completedCount() > 3000, "the test has recorded something");
        assertEquals(wanted.whole.encodedHistogram(), firstHalf.encodedHistogram());
        assertEquals(errors(wanted.whole), errors(firstHalf));
        assertArrayEquals(wanted.completedPerSecond, Arrays.copyOf(whole.completedPerSecond, 10));
        assertArrayEquals(wanted.failedPerSecond, Arrays.copyOf(whole.failedPerSecond, 10));
        IntervalRecording all = new IntervalRecording();
        whole.intervals.forEach(all::add);
        assertEquals(whole.whole.encodedHistogram(), all.encodedHistogram());
        assertEquals(errors(whole.whole), errors(all));
    }

    @Test
    void progressListsFinishedSecondsIfTheWindowMayStopEarly() {
        Recorder stopping = new Recorder(new Timeline(0, 0, Measures.stoppingEarly(10, 5, 5)));
        for (double second : new double[] {0.5, 0.6, 2.1, 3.2}) {
            Slot slot = new Slot(0, at(second), 0);
            stopping.recordStart(slot);
            stopping.recordCompletion(slot, at(second));
        }
        assertArrayEquals(new long[] {2, 0, 1}, stopping.currentProgress(at(3.5)).completedPerSecond);
        assertArrayEquals(new long[3], stopping.currentProgress(at(3.5)).latencyMicrosPerSecond);
        assertEquals(10, stopping.currentProgress(at(12)).completedPerSecond.length);
        Recorder fixed = new Recorder(new Timeline(0, 0, Measures.of(0, 10, 5, 5)));
        assertEquals(0, fixed.currentProgress(at(3.5)).completedPerSecond.length, "it does not grow with a fixed window");
    }
}
