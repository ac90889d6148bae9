package dev.benchnet.driver.load;

import static dev.benchnet.driver.load.FakeClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.benchnet.driver.workload.Measures;
import dev.benchnet.driver.workload.Mix;
import dev.benchnet.driver.workload.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OpenLoopTest {
    private final FakeClock clock = new FakeClock();
    private final Timeline timeline = new Timeline(0, 0, Measures.of(1, 2, 5));

    private OpenLoop loop(int worker, int workers, double rate) {
        return new OpenLoop(timeline, clock, new Worker(worker, workers), Arrivals.even(rate, new Worker(worker, workers)), Mix.SINGLE);
    }

    private List<Long> allInstants(OpenLoop loop) throws InterruptedException {
        List<Long> instants = new ArrayList<>();
        for (Slot slot = loop.awaitNext(0); slot != null; slot = loop.awaitNext(0)) {
            instants.add(slot.intended);
        }
        return instants;
    }

    @Test
    void flowsAreDueAtEvenIntervalsUntilTheWindowEnds() throws InterruptedException {
        OpenLoop loop = loop(0, 1, 4);

        List<Long> instants = allInstants(loop);

        assertEquals(12, instants.size());
        assertEquals(instants, clock.sleeps);
        assertEquals(SECOND / 4, instants.get(1) - instants.get(0));
        ScheduleAdherence schedule = loop.close()[0];
        assertEquals(8, schedule.planned(), "the warm-up's flows are not planned for the window");
        assertEquals(0, schedule.late());
        assertEquals(0, schedule.clientsBusy());
    }

    @Test
    void workersTakeTurnsAndMakeTheWholeRateTogether() throws InterruptedException {
        TreeSet<Long> instants = new TreeSet<>();
        int count = 0;
        for (int worker = 0; worker < 3; worker++) {
            List<Long> own = allInstants(loop(worker, 3, 20.5));
            instants.addAll(own);
            count += own.size();
        }

        assertEquals(62, count, "20.5 per second for 3 s, the first at 0");
        assertEquals(62, instants.size(), "no instant twice");
        assertEquals(Math.round(61 * 1e9 / 20.5), instants.last());
    }

    @Test
    void requestsThatWaitForAClientKeepTheirInstantAndDoNotBlameTheGenerator() throws InterruptedException {
        OpenLoop loop = loop(0, 1, 1);
        loop.awaitNext(0);
        clock.advance(1.1);
        Slot justInTime = loop.awaitNext(0); // due at 1 s, exactly 100 ms late
        clock.advance(1.5);
        Slot waited = loop.awaitNext(0); // due at 2 s, at 2.6 s

        assertEquals(SECOND, justInTime.intended);
        assertEquals(2 * SECOND, waited.intended);
        ScheduleAdherence schedule = loop.close()[0];
        assertEquals(2, schedule.planned());
        assertEquals(1, schedule.clientsBusy());
        assertEquals(600_000, schedule.maxWaitMicros());
        assertEquals(0, schedule.late());
        assertEquals(0, schedule.maxLagMicros());
    }

    /** A free client that wakes late delays the requests that were due meanwhile, too. */
    @Test
    void aPauseOfTheGeneratorIsNoWaitForAClient() throws InterruptedException {
        FakeClock clock = new FakeClock() {
            @Override
            public void sleepUntil(long until) {
                super.sleepUntil(until);
                if (until == 1.5 * SECOND) {
                    advance(0.75);
                }
            }
        };
        OpenLoop loop = new OpenLoop(timeline, clock, new Worker(0, 1), Arrivals.even(4, new Worker(0, 1)), Mix.SINGLE);
        while (loop.awaitNext(0) != null) {
            // Each request ends at once.
        }

        ScheduleAdherence schedule = loop.close()[0];
        assertEquals(3, schedule.late(), "due at 1.5, 1.75 and 2 s, started at 2.25 s");
        assertEquals(750_000, schedule.maxLagMicros());
        assertEquals(0, schedule.clientsBusy());
    }

    @Test
    void requestsThatNeverStartArePlannedAndWaitedForAClient() throws InterruptedException {
        OpenLoop loop = loop(0, 1, 4);
        Slot last = null;
        while (clock.nanos() < 2 * SECOND) {
            last = loop.awaitNext(0);
        }
        clock.advance(8); // The request that is due at 2 s never ends.

        ScheduleAdherence schedule = loop.close()[0];
        assertEquals(2 * SECOND, last.intended);
        assertEquals(8, schedule.planned());
        assertEquals(3, schedule.clientsBusy());
        assertEquals(5_750_000, schedule.maxWaitMicros(), "due at 2.25 s, until the drain ended at 8 s");
        assertNull(loop.awaitNext(0));
    }

    @Test
    void startsOverdueOperationsAfterTheWindow() throws InterruptedException {
        OpenLoop loop = loop(0, 1, 1);
        clock.advance(4);

        assertEquals(3, allInstants(loop).size());
        assertNull(loop.awaitNext(0));
        assertEquals(2, loop.close()[0].clientsBusy());
    }

    @Test
    void skipsOperationsDueAfterTheStop() throws InterruptedException {
        Timeline stopping = new Timeline(0, 0, Measures.stoppingEarly(20, 5, 5));
        OpenLoop loop = new OpenLoop(stopping, new FakeClock() {
            @Override
            public void sleepUntil(long until) {
                super.sleepUntil(until);
                if (nanos() > 7.3 * SECOND) {
                    stopping.stopAt(10_000);
                }
            }
        }, new Worker(0, 1), Arrivals.even(2, new Worker(0, 1)), Mix.SINGLE);

        List<Long> instants = allInstants(loop);

        assertEquals(20, instants.size(), "two a second for the ten seconds before the stop");
        ScheduleAdherence[] schedules = loop.close();
        assertEquals(10, schedules[0].planned());
        assertEquals(10, schedules[1].planned());
        assertEquals(0, schedules[2].planned());
    }

    @Test
    void sleepingClientNoticesTheStop() throws InterruptedException {
        Timeline stopping = new Timeline(0, 0, Measures.stoppingEarly(20, 5, 5));
        FakeClock clock = new FakeClock() {
            @Override
            public void sleepUntil(long until) {
                super.sleepUntil(until);
                stopping.stopAt(5_000);
            }
        };
        OpenLoop loop = new OpenLoop(stopping, clock, new Worker(0, 1), Arrivals.even(0.1, new Worker(0, 1)), Mix.SINGLE);
        loop.awaitNext(0);

        assertNull(loop.awaitNext(0), "it is due at 10 s");
        assertEquals(0, clock.nanos() / SECOND, "it does not sleep until then");
    }
}
