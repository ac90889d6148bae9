package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Load;
import dev.benchnet.driver.workload.WorkloadFile;

/** Decides when operations start. Shared by all clients. */
public interface Pacing {
    /** How well the planned start times in the window were met. All values are zero in a closed loop. */
    final class ScheduleAdherence {
        public final long planned;
        /** Operations that started more than 100 ms after their planned time. */
        public final long late;
        public final long maxLagMicros;

        ScheduleAdherence(long planned, long late, long maxLagMicros) {
            this.planned = planned;
            this.late = late;
            this.maxLagMicros = maxLagMicros;
        }

        private ScheduleAdherence plus(ScheduleAdherence other) {
            return new ScheduleAdherence(planned + other.planned, late + other.late, Math.max(maxLagMicros, other.maxLagMicros));
        }
    }

    /** Returns the pacing for the workload's load model. */
    static Pacing of(WorkloadFile workload, Timeline timeline, Clock clock) {
        return workload.load.model == Load.Model.Open
                ? new OpenLoop(timeline, clock, workload.worker, workload.load.ratePerSecond)
                : new ClosedLoop(timeline, clock, workload.worker, workload.workerMaxOutstanding());
    }

    /** Blocks until the client may start its next operation. Returns null when the load is over. */
    Slot awaitNext(int client) throws InterruptedException;

    /** Returns a slot once its operation has ended, with or without an error. */
    void release(Slot slot);

    /** Returns a schedule for each interval of the window, by planned start time. */
    ScheduleAdherence[] scheduleByInterval();

    /** Returns the schedule of the whole window. */
    default ScheduleAdherence scheduleOfWindow() {
        ScheduleAdherence whole = new ScheduleAdherence(0, 0, 0);
        for (ScheduleAdherence part : scheduleByInterval()) {
            whole = whole.plus(part);
        }
        return whole;
    }
}
