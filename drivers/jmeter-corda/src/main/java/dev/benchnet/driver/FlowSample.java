package dev.benchnet.driver;

import dev.benchnet.driver.load.Phase;

/** The outcome of one flow, as recorded in the JTL. */
public final class FlowSample {
    public final Phase phase;
    public final long startNanos;
    public final long endNanos;
    /** Null if the flow completed. */
    public final String error;

    FlowSample(Phase phase, long startNanos, long endNanos, String error) {
        this.phase = phase;
        this.startNanos = startNanos;
        this.endNanos = endNanos;
        this.error = error;
    }
}
