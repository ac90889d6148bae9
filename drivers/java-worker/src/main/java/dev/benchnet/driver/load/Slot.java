package dev.benchnet.driver.load;

/** The permission to start one operation. */
public final class Slot {
    /** Selects the target; counts over all workers. */
    public final long index;
    /** The planned start in {@link Clock#nanos()}. Latency is measured from here. */
    public final long intended;
    /** The kind of operation in the workload's mix; 0 without a mix. */
    public final int kind;

    Slot(long index, long intended, int kind) {
        this.index = index;
        this.intended = intended;
        this.kind = kind;
    }
}
