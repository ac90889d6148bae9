package dev.benchnet.driver.load;

import static dev.benchnet.driver.load.FakeClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.benchnet.driver.workload.Measures;
import dev.benchnet.driver.workload.Mix;
import dev.benchnet.driver.workload.Mixes;
import dev.benchnet.driver.workload.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MixedLoadTest {
    private final Timeline timeline = new Timeline(0, 0, Measures.of(1, 4, 1));

    /** Returns the kinds of all operations in the order in which they are due. */
    private List<Integer> openLoopKinds(int workers) throws Exception {
        TreeMap<Long, Integer> kinds = new TreeMap<>();
        for (int i = 0; i < workers; i++) {
            Worker worker = new Worker(i, workers);
            OpenLoop loop = new OpenLoop(timeline, new FakeClock(), worker, Arrivals.even(10, worker), Mixes.of(9, 1, 4));
            for (Slot slot = loop.awaitNext(0); slot != null; slot = loop.awaitNext(0)) {
                kinds.put(slot.intended, slot.kind);
            }
        }
        return new ArrayList<>(kinds.values());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void anOpenLoopHasTheSameOrderWithAnyNumberOfWorkers(int workers) throws Exception {
        List<Integer> kinds = openLoopKinds(workers);

        assertEquals(50, kinds.size());
        assertEquals(10, Collections.frequency(kinds, 0));
        assertEquals(openLoopKinds(1), kinds);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void everyWorkerOfAClosedLoopKeepsTheSharesWithAnyClients(int workers) throws Exception {
        for (int i = 0; i < workers; i++) {
            Worker worker = new Worker(i, workers);
            Mix mix = Mixes.of(9, 1, 4);
            ClosedLoop loop = new ClosedLoop(timeline, new FakeClock(), worker, 3, mix, new ActiveClients(Collections.emptyList()));
            List<Integer> kinds = new ArrayList<>();
            for (int n = 0; n < 50; n++) {
                Slot slot = loop.awaitNext(n % 3);
                assertEquals(mix.kindOf(worker, n), slot.kind);
                kinds.add(slot.kind);
                loop.release(slot);
            }
            assertEquals(10, Collections.frequency(kinds, 0));
        }
    }

    /** Warm-up 0 to 1 s, window 1 to 5 s. */
    @Test
    void recordsEachKindSeparately() {
        Recorder recorder = new Recorder(timeline);
        recorder.separateKinds(Arrays.asList("small", "large"), Arrays.asList(2, 4));
        complete(recorder, new Slot(0, SECOND / 2, 0), SECOND * 3 / 2); // From the warm-up: it has no latency in the window.
        complete(recorder, new Slot(1, SECOND, 1), 2 * SECOND);
        complete(recorder, new Slot(2, 2 * SECOND, 1), 5 * SECOND); // In the drain: it does not count in the throughput.
        recorder.recordStart(new Slot(3, 3 * SECOND, 0)); // It never ends.
        Slot refused = new Slot(4, 3 * SECOND, 1);
        recorder.recordStart(refused);
        recorder.recordFailure(refused, 4 * SECOND, "a.B", "no");

        Summary summary = recorder.close(new ScheduleAdherence[] {new ScheduleAdherence()});

        assertEquals("small 1 completed, 1 failed", describe(summary.kinds.get(0)));
        assertEquals("large 1 completed, 1 failed", describe(summary.kinds.get(1)));
        assertEquals("small 1 completed, 0 failed", describe(summary.kinds.get(0).segments.get(0)));
        assertEquals("small 0 completed, 1 failed", describe(summary.kinds.get(0).segments.get(1)));
        assertEquals("large 1 completed, 0 failed", describe(summary.kinds.get(1).segments.get(0)));
        assertEquals("large 0 completed, 1 failed", describe(summary.kinds.get(1).segments.get(1)));
        IntervalRecording empty = new IntervalRecording();
        assertEquals(empty.encodedHistogram(), summary.kinds.get(0).encodedHistogram());
        assertEquals(summary.whole.encodedHistogram(), summary.kinds.get(1).encodedHistogram());
        assertEquals(summary.whole.encodedHistogram(), summary.kinds.get(1).segments.get(0).encodedHistogram());
        assertEquals(empty.encodedHistogram(), summary.kinds.get(1).segments.get(1).encodedHistogram());
    }

    private static void complete(Recorder recorder, Slot slot, long at) {
        recorder.recordStart(slot);
        recorder.recordCompletion(slot, at);
    }

    private static String describe(KindRecording kind) {
        return kind.name + " " + kind.completedCount() + " completed, " + kind.failedCount() + " failed";
    }
}
