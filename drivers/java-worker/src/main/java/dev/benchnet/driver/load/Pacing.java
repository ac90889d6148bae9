package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.Load;
import dev.benchnet.driver.workload.WorkloadFile;

/** Decides when operations start. Shared by all clients. */
public interface Pacing {
    /** Returns the pacing for the workload's load model. */
    static Pacing of(WorkloadFile workload, Timeline timeline, Clock clock) {
        return workload.load.model == Load.Model.Open
                ? new OpenLoop(timeline, clock, workload.worker, Arrivals.of(workload.load, workload.worker), workload.mix)
                : new ClosedLoop(timeline, clock, workload.worker, workload.workerMaxOutstanding(), workload.mix,
                        new ActiveClients(workload.load.clientPieces));
    }

    /** Blocks until the client may start its next operation. Returns null when the load is over. */
    Slot awaitNext(int client) throws InterruptedException;

    /** Returns a slot once its operation has ended, with or without an error. */
    void release(Slot slot);

    /** Ends the load, and returns the schedule of each interval of the window, by planned start time. */
    ScheduleAdherence[] close();
}
