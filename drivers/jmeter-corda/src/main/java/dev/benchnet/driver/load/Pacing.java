package dev.benchnet.driver.load;

/** Decides when flows start. Shared by all clients. */
public interface Pacing {
    /** How well the intended instants of the window were kept. Zero throughout in a closed loop. */
    final class Schedule {
        public final long planned;
        /** Flows that started more than 100 ms after their instant. */
        public final long late;
        public final long maxLagMicros;

        Schedule(long planned, long late, long maxLagMicros) {
            this.planned = planned;
            this.late = late;
            this.maxLagMicros = maxLagMicros;
        }
    }

    /** Blocks until the client may start its next flow. Null: the load is over. */
    Slot next(int client) throws InterruptedException;

    /** Gives a slot back once its flow has ended, however it ended. */
    void done(Slot slot);

    Schedule schedule();
}
