package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Load;
import dev.benchnet.driver.workload.Orders;

/** Decides when operations start. Shared by all clients. */
public interface Pacing {
    /** How well the intended instants of the window were kept. Zero throughout in a closed loop. */
    final class Schedule {
        public final long planned;
        /** Operations that started more than 100 ms after their instant. */
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

    /** The pacing that a load asks for. */
    static Pacing of(Orders orders, Timeline timeline, Clock clock) {
        return orders.load.model == Load.Model.Open
                ? new OpenLoop(timeline, clock, orders.worker, orders.load.ratePerSecond)
                : new ClosedLoop(timeline, clock, orders.worker, orders.outstanding());
    }

    /** Blocks until the client may start its next operation. Null: the load is over. */
    Slot next(int client) throws InterruptedException;

    /** Gives a slot back once its operation has ended, however it ended. */
    void done(Slot slot);

    /** Of each interval of the window, by the instants that lie in it. */
    Schedule[] schedules();

    /** Of the whole window. */
    default Schedule schedule() {
        Schedule whole = new Schedule(0, 0, 0);
        for (Schedule part : schedules()) {
            whole = whole.plus(part);
        }
        return whole;
    }
}
