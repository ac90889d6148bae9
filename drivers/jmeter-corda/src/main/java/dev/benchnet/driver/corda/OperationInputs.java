package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.DataTable;
import dev.benchnet.driver.workload.Worker;
import java.util.concurrent.atomic.AtomicLong;

/** Numbers the operations of one flow on this worker. No two operations of all workers get the same number. Thread-safe. */
final class OperationInputs {
    /** Null if the workload has no data. */
    final DataTable data;
    private final Worker worker;
    private final long seed;
    private final AtomicLong started = new AtomicLong();

    OperationInputs(Worker worker, long seed, DataTable data) {
        this.worker = worker;
        this.seed = seed;
        this.data = data;
    }

    /** Returns the input of the next operation, which this worker's client starts. */
    OperationInput next(int client) {
        return new OperationInput(worker.globalIndex(started.getAndIncrement()), worker.globalIndex(client), worker.index, seed);
    }
}
