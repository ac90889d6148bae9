package dev.benchnet.driver.load;

import static dev.benchnet.driver.load.FakeClock.EPOCH_MILLIS;
import static dev.benchnet.driver.load.FakeClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.workload.Measures;
import dev.benchnet.driver.workload.Mix;
import dev.benchnet.driver.workload.Worker;
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
    void aStepOfTheWallClockChangesNeitherScheduleNorLatency() throws InterruptedException {
        FakeClock clock = new FakeClock();
        Timeline timeline = Timeline.startingAt(clock.epochMillis(), Measures.of(0, 2, 1), clock);
        OpenLoop loop = new OpenLoop(timeline, clock, new Worker(0, 1), Arrivals.even(1, new Worker(0, 1)), Mix.SINGLE);
        Recorder recorder = new Recorder(timeline);
        for (Slot slot = loop.awaitNext(0); slot != null; slot = loop.awaitNext(0)) {
            recorder.recordStart(slot);
            clock.stepWallClock(-5000);
            clock.advance(0.25);
            recorder.recordCompletion(slot, clock.nanos());
        }

        Summary summary = recorder.close(loop.close());
        assertEquals(2, summary.whole.completedCount());
        assertEquals(250_000, summary.whole.maxMicros(), 250);
        assertEquals(0, summary.whole.schedule().maxLagMicros());
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
    void theWindowStopsEarlierOnlyWhereItMayAndNeverLater() {
        Timeline timeline = new Timeline(100 * SECOND, 1_000, Measures.stoppingEarly(20, 3, 5));
        timeline.stopAt(31_000);
        timeline.stopAt(500);
        assertEquals(123 * SECOND, timeline.drainUntil());

        timeline.stopAt(11_000);
        timeline.stopAt(16_000);
        assertEquals(110 * SECOND, timeline.windowUntil());
        assertEquals(113 * SECOND, timeline.drainUntil());
        assertEquals(Phase.Drain, timeline.phaseAt(110 * SECOND));
        assertEquals(20, timeline.windowSeconds, "what is recorded is as long as was ordered");

        Timeline fixed = new Timeline(100 * SECOND, 1_000, Measures.of(0, 20, 3, 5));
        fixed.stopAt(11_000);
        assertEquals(120 * SECOND, fixed.windowUntil());
    }
}
