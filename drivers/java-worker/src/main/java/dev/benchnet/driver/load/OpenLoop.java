package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Worker;
import java.util.Arrays;

/**
 * Operations are due by a schedule, whether or not earlier ones have ended. Workers take turns, so that together they
 * reach the whole rate. If all clients are busy, an operation starts late, and the wait counts as latency: a slow
 * system cannot hide its queue. Operations that are due in the window but not started are caught up during the drain.
 * Those that no client could start by its end still count as planned.
 */
public final class OpenLoop implements Pacing {
    static final long LATE_NANOS = 100_000_000L;

    private final Timeline timeline;
    private final Clock clock;
    private final Worker worker;
    private final Arrivals arrivals;
    private final ScheduleAdherence[] intervals;
    private long taken;
    /** The end of the last delay that a free client caused. Operations that were due before waited for the generator. */
    private long generatorDelayedUntil = Long.MIN_VALUE;
    private boolean closed;

    /** The arrivals are those of all workers. */
    public OpenLoop(Timeline timeline, Clock clock, Worker worker, Arrivals arrivals) {
        this.timeline = timeline;
        this.clock = clock;
        this.worker = worker;
        this.arrivals = arrivals;
        intervals = new ScheduleAdherence[timeline.intervalCount()];
        Arrays.setAll(intervals, i -> new ScheduleAdherence());
    }

    @Override
    public Slot awaitNext(int client) throws InterruptedException {
        long free = clock.nanos();
        Slot slot = takeSlot(free);
        if (slot == null || !timeline.awaitDue(slot.intended, clock)) {
            return null;
        }
        recordDelay(slot.intended, free, clock.nanos());
        return slot;
    }

    private synchronized Slot takeSlot(long now) {
        return closed || now >= timeline.drainUntil() ? null : slotAt(taken++);
    }

    /** Returns the n-th operation of this worker. */
    private Slot slotAt(long n) {
        long index = worker.globalIndex(n);
        return new Slot(index, timeline.start + arrivals.offsetNanos(index));
    }

    /** Divides the delay into the wait for a client and the delay of the client that was free. */
    private synchronized void recordDelay(long due, long free, long started) {
        if (closed) {
            return;
        }
        long lag = started - Math.max(due, free);
        if (lag > LATE_NANOS) {
            generatorDelayedUntil = Math.max(generatorDelayedUntil, started);
        }
        if (!timeline.inWindow(due)) {
            return;
        }
        ScheduleAdherence interval = intervals[timeline.intervalOf(due)];
        if (due <= generatorDelayedUntil) {
            interval.recordLag(started - due);
        } else {
            interval.recordLag(lag);
            interval.recordWait(free - due);
        }
    }

    @Override
    public void release(Slot slot) {
        // The number of clients limits the operations in flight.
    }

    /** Counts every operation that was due in the window, with those that never started as waiting for a client. */
    @Override
    public synchronized ScheduleAdherence[] close() {
        long now = Math.min(clock.nanos(), timeline.drainUntil());
        for (long n = 0; !closed; n++) {
            long due = slotAt(n).intended;
            if (due >= timeline.windowUntil()) {
                closed = true;
            } else if (timeline.inWindow(due)) {
                ScheduleAdherence interval = intervals[timeline.intervalOf(due)];
                interval.planned++;
                if (n >= taken) {
                    interval.recordWait(now - due);
                }
            }
        }
        return intervals;
    }
}
