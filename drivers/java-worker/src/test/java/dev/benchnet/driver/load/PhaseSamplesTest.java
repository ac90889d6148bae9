package dev.benchnet.driver.load;

import static java.util.Arrays.asList;
import static java.util.Collections.singletonMap;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.benchnet.driver.workload.Measures;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PhaseSamplesTest {
    private final PhaseSamples samples = new PhaseSamples();

    @Test
    void listsMicrosecondsInTheOrderOfTheNames() {
        Map<String, Long> first = new LinkedHashMap<>();
        first.put("Start", 5_000L);
        first.put("Signing", 1L);
        samples.add(3, first);
        samples.add(4, singletonMap("Return", 2_000_000L));

        assertEquals(asList("Start", "Signing", "Return"), samples.names());
        assertArrayEquals(new long[] {3, 5, 1, 0}, samples.operations().get(0));
        assertArrayEquals(new long[] {4, 0, 0, 2000}, samples.operations().get(1));
    }

    @Test
    void sumsPhasesBeyondTheLimitAsOther() {
        Map<String, Long> phases = new LinkedHashMap<>();
        for (int i = 0; i < 30; i++) {
            phases.put("step " + i, 1000L);
        }
        samples.add(0, phases);

        assertEquals(PhaseSamples.MAX_PHASES, samples.names().size());
        assertEquals("Other", samples.names().get(PhaseSamples.MAX_PHASES - 1));
        assertEquals(30 - (PhaseSamples.MAX_PHASES - 1), samples.operations().get(0)[PhaseSamples.MAX_PHASES]);
    }

    @Test
    void keepsABoundedSampleOfTheWholeWindow() {
        for (int second = 0; second < 20_000; second++) {
            samples.add(second, singletonMap("Start", 1000L));
        }
        assertEquals(PhaseSamples.MAX_OPERATIONS, samples.operations().size());
        long late = samples.operations().stream().filter(row -> row[0] >= 10_000).count();
        assertTrue(late > 400 && late < 600, late + " of 1000 are of the second half");
    }

    @Test
    void theRecorderKeepsOnlyOperationsOfTheWindow() {
        Recorder recorder = new Recorder(new Timeline(0, 0, Measures.of(1, 2, 1)));
        for (long second = 0; second < 4; second++) {
            recorder.recordPhases(new Slot(0, second * FakeClock.SECOND, 0), singletonMap("Start", second * 1000));
        }
        Summary summary = recorder.close(new ScheduleAdherence[] {new ScheduleAdherence()});
        recorder.recordPhases(new Slot(0, FakeClock.SECOND, 0), singletonMap("Late", 1L));

        assertEquals(asList("Start"), summary.phases.names());
        assertEquals(2, summary.phases.operations().size());
        assertArrayEquals(new long[] {0, 1}, summary.phases.operations().get(0));
        assertArrayEquals(new long[] {1, 2}, summary.phases.operations().get(1));
    }
}
