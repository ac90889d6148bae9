package dev.benchnet.driver;

import dev.benchnet.driver.load.Phase;

/** The outcome of one flow, as recorded in the JTL. */
public final class FlowSample {
    /** The kind of the operation in the workload's mix; 0 without a mix. */
    public final int kind;
    public final Phase phase;
    public final long startNanos;
    public final long endNanos;
    /** Null if the flow completed. */
    public final String error;

    FlowSample(int kind, Phase phase, long startNanos, long endNanos, String error) {
        this.kind = kind;
        this.phase = phase;
        this.startNanos = startNanos;
        this.endNanos = endNanos;
        this.error = error;
    }
}
