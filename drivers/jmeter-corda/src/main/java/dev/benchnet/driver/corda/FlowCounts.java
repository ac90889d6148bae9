package dev.benchnet.driver.corda;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import net.corda.core.messaging.FlowHandle;

/** Counts the flows that were started and those that completed, by purpose. Thread-safe. */
final class FlowCounts {
    private final Map<FlowPurpose, LongAdder> started = new EnumMap<>(FlowPurpose.class);
    private final Map<FlowPurpose, LongAdder> completed = new EnumMap<>(FlowPurpose.class);

    FlowCounts() {
        for (FlowPurpose purpose : FlowPurpose.values()) {
            started.put(purpose, new LongAdder());
            completed.put(purpose, new LongAdder());
        }
    }

    /** Starts a flow. A flow whose start fails counts as started, because the member may have accepted it. */
    FlowHandle<?> count(FlowPurpose purpose, Supplier<FlowHandle<?>> start) {
        started.get(purpose).increment();
        FlowHandle<?> flow = start.get();
        flow.getReturnValue().then(ended -> {
            try {
                ended.get();
                completed.get(purpose).increment();
            } catch (Exception e) {
                return false; // It failed and stays incomplete.
            }
            return true;
        });
        return flow;
    }

    long started(FlowPurpose purpose) {
        return started.get(purpose).sum();
    }

    long completed(FlowPurpose purpose) {
        return completed.get(purpose).sum();
    }

    /** Reports whether every flow that was started has completed. */
    boolean allCompleted() {
        for (FlowPurpose purpose : FlowPurpose.values()) {
            if (completed(purpose) != started(purpose)) {
                return false;
            }
        }
        return true;
    }
}
