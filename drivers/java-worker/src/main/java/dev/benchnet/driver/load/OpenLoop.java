package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Worker;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Operations are due at regular intervals, whether or not earlier ones have ended. Workers take turns, so that
 * together they reach the whole rate. If all clients are busy, an operation starts late, and the wait counts as
 * latency: a slow system cannot hide its queue. Operations that are due in the window but not started are caught up
 * during the drain.
 */
public final class OpenLoop implements Pacing {
    private static final long LATE_NANOS = 100_000_000L;

    private final Timeline timeline;
    private final Clock clock;
    private final Worker worker;
    private final double periodNanos;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLongArray planned;
    private final AtomicLongArray late;
    private final AtomicLongArray maxLagNanos;

    /** The rate is the total of all workers. */
    public OpenLoop(Timeline timeline, Clock clock, Worker worker, double ratePerSecond) {
        this.timeline = timeline;
        this.clock = clock;
        this.worker = worker;
        periodNanos = 1e9 / ratePerSecond;
        planned = new AtomicLongArray(timeline.intervalCount());
        late = new AtomicLongArray(timeline.intervalCount());
        maxLagNanos = new AtomicLongArray(timeline.intervalCount());
    }

    @Override
    public Slot awaitNext(int client) throws InterruptedException {
        long index = worker.globalIndex(taken.getAndIncrement());
        long intended = timeline.start + Math.round(index * periodNanos);
        if (!timeline.awaitDue(intended, clock)) {
            return null;
        }
        if (timeline.inWindow(intended)) {
            count(timeline.intervalOf(intended), clock.nanos() - intended);
        }
        return new Slot(index, intended);
    }

    private void count(int interval, long lag) {
        planned.incrementAndGet(interval);
        if (lag > LATE_NANOS) {
            late.incrementAndGet(interval);
        }
        maxLagNanos.accumulateAndGet(interval, lag, Math::max);
    }

    @Override
    public void release(Slot slot) {
        // The number of clients limits the operations in flight.
    }

    @Override
    public ScheduleAdherence[] scheduleByInterval() {
        ScheduleAdherence[] parts = new ScheduleAdherence[planned.length()];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = new ScheduleAdherence(planned.get(i), late.get(i), maxLagNanos.get(i) / 1000);
        }
        return parts;
    }
}
