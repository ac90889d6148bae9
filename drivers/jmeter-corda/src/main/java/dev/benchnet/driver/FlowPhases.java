package dev.benchnet.driver;

import dev.benchnet.driver.load.Clock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import net.corda.client.rpc.UtilsKt;
import net.corda.core.messaging.DataFeed;
import net.corda.core.messaging.FlowProgressHandle;

/**
 * The phases of one flow as its client sees them: the wait for a client, the start, and the steps that the flow's
 * progress tracker reports over RPC. Each lasts until the next one, the last one until the client has the result, so
 * that they make up the latency. Thread-safe.
 */
final class FlowPhases {
    static final String WAIT = "Wait for a client";
    static final String START = "Start";
    private static final long SHORTEST_WAIT = 1_000_000;
    /** Corda reports it only sometimes, and often after the result. */
    private static final String DONE = "Done";
    private static final String STRUCTURAL_CHANGE = "Structural step change";

    /** The labels of Corda's steps that read alike or do not say what happens in them. */
    private static final Map<String, String> NAMES = new HashMap<>();

    static {
        NAMES.put("Requesting signature by notary service", "Preparing notarization");
        NAMES.put("Requesting signature by Notary service", "Notarization");
        NAMES.put("Validating response from Notary service", "Signature check and recording");
        NAMES.put("Broadcasting transaction to participants", "Distribution to participants");
    }

    private final Clock clock;
    private final Map<String, Long> nanosByPhase = new LinkedHashMap<>();
    private String phase = START;
    private long since;
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
        if (ended || label.equals(DONE) || label.startsWith(STRUCTURAL_CHANGE)) {
            return;
        }
        long now = clock.nanos();
        add(phase, since, now);
        phase = nameOf(label);
        since = now;
    }

    private static String nameOf(String label) {
        return NAMES.getOrDefault(label, label.endsWith(".") ? label.substring(0, label.length() - 1) : label);
    }

    private void add(String name, long from, long to) {
        if (to > from) {
            nanosByPhase.merge(name, to - from, Long::sum);
        }
    }

    /** Ends the flow at the instant of its result. Returns the nanoseconds of each phase in their order. */
    synchronized Map<String, Long> end(long at) {
        ended = true;
        add(phase, since, at);
        return nanosByPhase;
    }
}
