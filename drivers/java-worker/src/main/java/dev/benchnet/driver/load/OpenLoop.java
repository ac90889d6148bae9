package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Mix;
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
    private final Mix mix;
    private final ScheduleAdherence[] intervals;
    private long taken;
    private long nextDue;
    /** The end of the last delay that a free client caused. Operations that were due before waited for the generator. */
    private long generatorDelayedUntil = Long.MIN_VALUE;
    private boolean closed;

    public OpenLoop(Timeline timeline, Clock clock, Worker worker, Arrivals arrivals, Mix mix) {
        this.timeline = timeline;
        this.clock = clock;
        this.worker = worker;
        this.arrivals = arrivals;
        this.mix = mix;
        intervals = new ScheduleAdherence[timeline.intervalCount()];
        Arrays.setAll(intervals, i -> new ScheduleAdherence());
        nextDue = drawNextDue();
    }

    @Override
    public Slot awaitNext(int client) throws InterruptedException {
        long free = clock.nanos();
        Slot slot = takeSlot(free);
        if (slot == null) {
            return null;
        }
        if (!timeline.awaitDue(slot.intended, clock)) {
            addPlanned(slot.intended, -1);
            return null;
        }
        recordDelay(slot.intended, free, clock.nanos());
        return slot;
    }

    private synchronized Slot takeSlot(long now) {
        if (closed || now >= timeline.drainUntil() || nextDue >= timeline.windowUntil()) {
            return null;
        }
        addPlanned(nextDue, 1);
        long place = worker.globalIndex(taken++);
        Slot slot = new Slot(place, nextDue, mix.kindAt(place));
        nextDue = drawNextDue();
        return slot;
    }

    /** Returns the instant of the next operation; Long.MAX_VALUE if it is too late to be an instant. */
    private long drawNextDue() {
        long due = timeline.start + arrivals.nextOffsetNanos();
        return due < timeline.start ? Long.MAX_VALUE : due;
    }

    private synchronized void addPlanned(long due, int count) {
        if (timeline.inWindow(due)) {
            intervals[timeline.intervalOf(due)].planned += count;
        }
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
        closed = true;
        for (; nextDue < timeline.windowUntil(); nextDue = drawNextDue()) {
            addPlanned(nextDue, 1);
            if (timeline.inWindow(nextDue)) {
                intervals[timeline.intervalOf(nextDue)].recordWait(now - nextDue);
            }
        }
        return intervals;
    }
}
