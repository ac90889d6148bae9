package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Load;
import dev.benchnet.driver.workload.Orders;

/** Decides when operations start. Shared by all clients. */
public interface Pacing {
    /** How well the planned start times in the window were met. All values are zero in a closed loop. */
    final class Schedule {
        public final long planned;
        /** Operations that started more than 100 ms after their planned time. */
        public final long late;
        public final long maxLagMicros;

        Schedule(long planned, long late, long maxLagMicros) {
            this.planned = planned;
            this.late = late;
            this.maxLagMicros = maxLagMicros;
        }

        private Schedule plus(Schedule other) {
            return new Schedule(planned + other.planned, late + other.late, Math.max(maxLagMicros, other.maxLagMicros));
        }
    }

    /** Returns the pacing for the workload's load model. */
    static Pacing of(Orders orders, Timeline timeline, Clock clock) {
        return orders.load.model == Load.Model.Open
                ? new OpenLoop(timeline, clock, orders.worker, orders.load.ratePerSecond)
                : new ClosedLoop(timeline, clock, orders.worker, orders.outstanding());
    }

    /** Blocks until the client may start its next operation. Returns null when the load is over. */
    Slot next(int client) throws InterruptedException;

    /** Returns a slot once its operation has ended, with or without an error. */
    void done(Slot slot);

    /** Returns a schedule for each interval of the window, by planned start time. */
    Schedule[] schedules();

    /** Returns the schedule of the whole window. */
    default Schedule schedule() {
        Schedule whole = new Schedule(0, 0, 0);
        for (Schedule part : schedules()) {
            whole = whole.plus(part);
        }
        return whole;
    }
}
