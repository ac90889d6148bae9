package dev.benchnet.driver;

import dev.benchnet.driver.load.Clock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import net.corda.client.rpc.UtilsKt;
import net.corda.core.messaging.DataFeed;
import net.corda.core.messaging.FlowProgressHandle;

/**
 * The phases of one flow as its client sees them: the wait for a client, the start, the steps that the flow's progress
 * tracker reports over RPC, and the return of the result. Together they make up the latency. Thread-safe.
 */
final class FlowPhases {
    static final String WAIT = "Wait for a client";
    static final String START = "Start";
    static final String BETWEEN = "Between steps";
    static final String RECORDING = "Recording";
    static final String RETURN = "Return";
    private static final long SHORTEST_WAIT = 1_000_000;
    private static final String DONE = "Done";
    private static final String STRUCTURAL_CHANGE = "Structural step change";
    private static final String NOTARY_RESPONSE = "Validating response from Notary service";

    /** The labels of Corda's steps that read alike or do not say what happens in them. */
    private static final Map<String, String> NAMES = new HashMap<>();

    static {
        NAMES.put("Requesting signature by notary service", "Preparing notarization");
        NAMES.put("Requesting signature by Notary service", "Notarization");
        NAMES.put(NOTARY_RESPONSE, "Checking the notary's signature");
        NAMES.put("Broadcasting transaction to participants", "Distribution to participants");
    }

    private final Clock clock;
    private final Map<String, Long> nanosByPhase = new LinkedHashMap<>();
    private String phase = START;
    private long since;
    /** The time of the last report that a step's own tracker or the flow's is done; 0 if a step has begun since. */
    private long doneAt;
    private boolean ended;

    /** Begins with a flow that was due at an instant and that its client starts now. */
    FlowPhases(long due, Clock clock) {
        this.clock = clock;
        since = clock.nanos();
        if (since - due < SHORTEST_WAIT) {
            since = due;
        } else {
            add(WAIT, due, since);
        }
    }

    /** Follows the steps of the flow. Steps before this call are reported too, and their time is part of the start. */
    void follow(FlowProgressHandle<?> flow) {
        flow.getProgress().subscribe(this::enterStep, error -> { }); // The result has the error too.
        ignore(flow.getStepsTreeIndexFeed());
        ignore(flow.getStepsTreeFeed());
    }

    private static void ignore(DataFeed<?, ?> feed) {
        if (feed != null) {
            UtilsKt.notUsed(feed.getUpdates());
        }
    }

    /** Enters the step with a label of Corda. */
    synchronized void enterStep(String label) {
        if (ended || label.startsWith(STRUCTURAL_CHANGE)) {
            return;
        }
        long now = clock.nanos();
        if (!label.equals(DONE)) {
            enter(nameOf(label), now);
            doneAt = 0;
            return;
        }
        if (doneAt == 0) {
            enter(phase.equals(nameOf(NOTARY_RESPONSE)) ? RECORDING : BETWEEN, now);
        }
        doneAt = now;
    }

    private static String nameOf(String label) {
        return NAMES.getOrDefault(label, label.endsWith(".") ? label.substring(0, label.length() - 1) : label);
    }

    private void enter(String next, long now) {
        add(phase, since, now);
        phase = next;
        since = now;
    }

    private void add(String name, long from, long to) {
        if (to > from) {
            nanosByPhase.merge(name, to - from, Long::sum);
        }
    }

    /** Ends the flow at the instant of its result. Returns the nanoseconds of each phase in their order. */
    synchronized Map<String, Long> end(long at) {
        ended = true;
        if (doneAt != 0) {
            enter(RETURN, doneAt);
        }
        add(phase, since, at);
        return nanosByPhase;
    }
}
