package dev.benchnet.driver.load;

/** The permission to start one operation. */
public final class Slot {
    /** Chooses the target; counted over all workers. */
    public final long index;
    /** When the operation is meant to start, in {@link Clock#nanos()}: its latency runs from here. */
    public final long intended;

    Slot(long index, long intended) {
        this.index = index;
        this.intended = intended;
    }
}
