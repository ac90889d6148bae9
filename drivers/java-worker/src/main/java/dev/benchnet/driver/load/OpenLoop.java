package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Worker;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Operations are due at even intervals, whether or not earlier ones have ended. Workers take turns, so that together they
 * make the whole rate. When all clients are busy an operation starts late, and the wait counts as latency: a slow system
 * cannot hide its queue. Instants of the window that could not be kept are caught up during the drain.
 */
public final class OpenLoop implements Pacing {
    private static final long LATE_NANOS = 100_000_000L;

    private final Timeline timeline;
    private final Clock clock;
    private final Worker worker;
    private final double periodNanos;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong planned = new AtomicLong();
    private final AtomicLong late = new AtomicLong();
    private final AtomicLong maxLagNanos = new AtomicLong();

    /** The rate is that of all workers together. */
    public OpenLoop(Timeline timeline, Clock clock, Worker worker, double ratePerSecond) {
        this.timeline = timeline;
        this.clock = clock;
        this.worker = worker;
        periodNanos = 1e9 / ratePerSecond;
    }

    @Override
    public Slot next(int client) throws InterruptedException {
        long index = worker.global(taken.getAndIncrement());
        long intended = timeline.start + Math.round(index * periodNanos);
        if (intended >= timeline.windowUntil) {
            return null;
        }
        clock.sleepUntil(intended);
        if (timeline.phaseAt(intended) == Phase.Window) {
            count(clock.nanos() - intended);
        }
        return new Slot(index, intended);
    }

    private void count(long lag) {
        planned.incrementAndGet();
        if (lag > LATE_NANOS) {
            late.incrementAndGet();
        }
        maxLagNanos.accumulateAndGet(lag, Math::max);
    }

    @Override
    public void done(Slot slot) {
        // The number of clients bounds what is in flight.
    }

    @Override
    public Schedule schedule() {
        return new Schedule(planned.get(), late.get(), maxLagNanos.get() / 1000);
    }
}
