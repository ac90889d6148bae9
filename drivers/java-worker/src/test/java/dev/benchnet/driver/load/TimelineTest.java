package dev.benchnet.driver.load;

import static dev.benchnet.driver.load.FakeClock.EPOCH_MILLIS;
import static dev.benchnet.driver.load.FakeClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.workload.Measures;
import org.junit.jupiter.api.Test;

class TimelineTest {
    @Test
    void phasesFollowEachOtherWithoutAPause() {
        Timeline timeline = new Timeline(100 * SECOND, 0, Measures.of(5, 10, 3));

        assertEquals(Phase.WarmUp, timeline.phaseAt(100 * SECOND));
        assertEquals(Phase.WarmUp, timeline.phaseAt(105 * SECOND - 1));
        assertEquals(Phase.Window, timeline.phaseAt(105 * SECOND));
        assertEquals(Phase.Window, timeline.phaseAt(115 * SECOND - 1));
        assertEquals(Phase.Drain, timeline.phaseAt(115 * SECOND));
        assertEquals(118 * SECOND, timeline.drainUntil());
        assertEquals(0, timeline.secondOf(106 * SECOND - 1));
        assertEquals(9, timeline.secondOf(115 * SECOND - 1));
    }

    @Test
    void startsAtTheInstantOfTheWallClock() {
        FakeClock clock = new FakeClock();
        clock.advance(50);

        Timeline timeline = Timeline.startingAt(clock.epochMillis() + 2500, Measures.of(5, 10, 0), clock);

        assertEquals(clock.nanos() + 2_500_000_000L, timeline.start);
        assertEquals(EPOCH_MILLIS + 50_000 + 2500 + 5000, timeline.windowStartEpochMillis);
    }

    @Test
    void refusesAStartThatLiesFurtherBackThanTheWarmUp() {
        FakeClock clock = new FakeClock();
        long now = clock.epochMillis();

        assertEquals(clock.nanos() - 5 * SECOND, Timeline.startingAt(now - 5000, Measures.of(5, 10, 0), clock).start);
        FatalException refused = assertThrows(FatalException.class,
                () -> Timeline.startingAt(now - 5001, Measures.of(5, 10, 0), clock));
        assertEquals("start: the instant had passed 5001 ms before this worker read it, "
                + "which is longer than the warm-up of 5 s", refused.getMessage());
    }

    @Test
    void theWindowStopsEarlierOnlyWhereItHasIntervalsAndNeverLater() {
        Timeline timeline = new Timeline(100 * SECOND, 1_000, Measures.of(0, 20, 3, 5));
        timeline.stopAt(31_000);
        timeline.stopAt(500);
        assertEquals(123 * SECOND, timeline.drainUntil());

        timeline.stopAt(11_000);
        timeline.stopAt(16_000);
        assertEquals(110 * SECOND, timeline.windowUntil());
        assertEquals(113 * SECOND, timeline.drainUntil());
        assertEquals(Phase.Drain, timeline.phaseAt(110 * SECOND));
        assertEquals(20, timeline.windowSeconds, "what is recorded is as long as was ordered");

        Timeline fixed = new Timeline(100 * SECOND, 1_000, Measures.of(0, 20, 3));
        fixed.stopAt(11_000);
        assertEquals(120 * SECOND, fixed.windowUntil());
    }
}
