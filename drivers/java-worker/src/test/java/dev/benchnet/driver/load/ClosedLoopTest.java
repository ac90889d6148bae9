package dev.benchnet.driver.load;

import static dev.benchnet.driver.load.FakeClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.benchnet.driver.workload.Measures;
import dev.benchnet.driver.workload.Mix;
import dev.benchnet.driver.workload.Worker;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ClosedLoopTest {
    private static final ActiveClients ALL = new ActiveClients(Collections.emptyList());

    private final FakeClock clock = new FakeClock();
    private final Timeline timeline = new Timeline(3 * SECOND, 0, Measures.of(1, 10, 5));

    @Test
    void startsOperationsOnlyBetweenStartAndWindowEnd() throws InterruptedException {
        ClosedLoop loop = new ClosedLoop(timeline, clock, new Worker(0, 1), 1, Mix.SINGLE, ALL);

        Slot first = loop.awaitNext(0);
        assertEquals(3 * SECOND, first.intended);
        loop.release(first);
        clock.advance(10.999);
        Slot last = loop.awaitNext(0);
        assertNotNull(last);
        loop.release(last);
        clock.advance(0.001);
        assertNull(loop.awaitNext(0));
    }

    @Test
    void clientsAreSpreadOverTargetsAcrossWorkers() throws InterruptedException {
        ClosedLoop second = new ClosedLoop(timeline, clock, new Worker(1, 2), 5, Mix.SINGLE, ALL);

        assertEquals(1, second.awaitNext(0).index);
        assertEquals(3, second.awaitNext(1).index);
    }

    @Test
    void noMoreThanTheLimitIsInFlight() throws Exception {
        ClosedLoop loop = new ClosedLoop(timeline, clock, new Worker(0, 1), 2, Mix.SINGLE, ALL);
        Slot first = loop.awaitNext(0);
        loop.awaitNext(1);

        CompletableFuture<Slot> third = CompletableFuture.supplyAsync(() -> next(loop));
        assertFalse(endsWithin(third, 200), "a third flow started beside two others");
        loop.release(first);
        assertTrue(endsWithin(third, 120_000), "no flow took the place of the one that ended");
        assertNotNull(third.get());
    }

    private static Slot next(ClosedLoop loop) {
        try {
            return loop.awaitNext(2);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean endsWithin(CompletableFuture<Slot> slot, long millis)
            throws InterruptedException, ExecutionException {
        try {
            slot.get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }
}
