package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Worker;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Each client starts its next operation when its last one has ended, within the limit of operations in flight. */
public final class ClosedLoop implements Pacing {
    private final Timeline timeline;
    private final Clock clock;
    private final Worker worker;
    private final Semaphore outstanding;

    public ClosedLoop(Timeline timeline, Clock clock, Worker worker, int maxOutstanding) {
        this.timeline = timeline;
        this.clock = clock;
        this.worker = worker;
        // A fair semaphore; otherwise clients that have just ended an operation would starve the waiting ones.
        outstanding = new Semaphore(maxOutstanding, true);
    }

    @Override
    public Slot awaitNext(int client) throws InterruptedException {
        clock.sleepUntil(timeline.start);
        long left = timeline.windowUntil() - clock.nanos();
        if (left <= 0 || !outstanding.tryAcquire(left, TimeUnit.NANOSECONDS)) {
            return null;
        }
        long now = clock.nanos();
        if (now >= timeline.windowUntil()) {
            outstanding.release();
            return null;
        }
        return new Slot(worker.globalIndex(client), now);
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
