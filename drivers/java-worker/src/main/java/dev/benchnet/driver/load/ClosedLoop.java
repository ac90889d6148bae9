package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Mix;
import dev.benchnet.driver.workload.Worker;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Each client starts its next operation when its last one has ended, within the limit of operations in flight, and while it
 * is active: a client above a number that has fallen ends its operation and waits. Each worker
 * numbers its own operations, by which the mix decides their kinds.
 */
public final class ClosedLoop implements Pacing {
    private final Timeline timeline;
    private final Clock clock;
    private final Worker worker;
    private final Mix mix;
    private final ActiveClients clients;
    private final Semaphore outstanding;
    private final AtomicLong started = new AtomicLong();

    public ClosedLoop(Timeline timeline, Clock clock, Worker worker, int maxOutstanding, Mix mix, ActiveClients clients) {
        this.timeline = timeline;
        this.clock = clock;
        this.worker = worker;
        this.mix = mix;
        this.clients = clients;
        // A fair semaphore; otherwise clients that have just ended an operation would starve the waiting ones.
        outstanding = new Semaphore(maxOutstanding, true);
    }

    @Override
    public Slot awaitNext(int client) throws InterruptedException {
        clock.sleepUntil(timeline.start);
        long turn = clients.nextTurn(worker.globalIndex(client), clock.nanos() - timeline.start);
        if (turn == Long.MAX_VALUE || !timeline.awaitDue(timeline.start + turn, clock)) {
            return null;
        }
        long left = timeline.windowUntil() - clock.nanos();
        if (left <= 0 || !outstanding.tryAcquire(left, TimeUnit.NANOSECONDS)) {
            return null;
        }
        long now = clock.nanos();
        if (now >= timeline.windowUntil()) {
            outstanding.release();
            return null;
        }
        return new Slot(worker.globalIndex(client), now, mix.kindOf(worker, started.getAndIncrement()));
    }

    @Override
    public void release(Slot slot) {
        outstanding.release();
    }

    @Override
    public ScheduleAdherence[] close() {
        ScheduleAdherence[] none = new ScheduleAdherence[timeline.intervalCount()];
        Arrays.setAll(none, i -> new ScheduleAdherence());
        return none;
    }
}
