package dev.benchnet.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.benchnet.driver.load.FakeClock;
import java.util.Map;
import java.util.stream.Collectors;
import net.corda.core.flows.StateMachineRunId;
import net.corda.core.internal.concurrent.CordaFutureImplKt;
import net.corda.core.messaging.FlowProgressHandleImpl;
import net.corda.core.utilities.ProgressTracker;
import org.junit.jupiter.api.Test;

class FlowPhasesTest {
    private final FakeClock clock = new FakeClock();

    private static String format(Map<String, Long> nanosByPhase) {
        return nanosByPhase.entrySet().stream().map(e -> e.getKey() + " " + e.getValue() / 1_000_000).collect(Collectors.joining(", "));
    }

    private void enter(FlowPhases phases, String label, double secondsLater) {
        clock.advance(secondsLater);
        phases.enterStep(label);
    }

    @Test
    void dividesALatencyIntoTheStepsOfAPayment() {
        clock.advance(1);
        FlowPhases phases = new FlowPhases(clock.nanos() - 500_000_000, clock);
        enter(phases, "Starting", 0.010);
        enter(phases, "Generating transaction", 0.001);
        enter(phases, "Finalising transaction", 0.020);
        enter(phases, "Structural step change in child of Finalising transaction", 0.001);
        enter(phases, "Requesting signature by notary service", 0.004);
        enter(phases, "Requesting signature by Notary service", 0.002);
        enter(phases, "Validating response from Notary service", 0.050);
        enter(phases, "Done", 0.003);
        enter(phases, "Broadcasting transaction to participants", 0.040);
        enter(phases, "Done", 0.060);
        enter(phases, "Done", 0.001);
        clock.advance(0.005);

        assertEquals("Wait for a client 500, Start 10, Starting 1, Generating transaction 20, Finalising transaction 5, "
                + "Preparing notarization 2, Notarization 50, Signature check and recording 43, "
                + "Distribution to participants 66", format(phases.end(clock.nanos())));
        phases.enterStep("Too late");
        assertEquals(9, phases.end(clock.nanos()).size(), "later reports do not count");
    }

    @Test
    void addsRepeatedSteps() {
        FlowPhases phases = new FlowPhases(0, clock);
        enter(phases, "Collecting signatures from counterparties.", 0.001);
        enter(phases, "Signing", 0.010);
        enter(phases, "Collecting signatures from counterparties.", 0.100);
        clock.advance(0.020);

        assertEquals("Start 1, Collecting signatures from counterparties 30, Signing 100", format(phases.end(clock.nanos())));
    }

    @Test
    void aFlowWithoutStepsHasOnlyAStart() {
        FlowPhases phases = new FlowPhases(0, clock);
        clock.advance(0.25);
        assertEquals("Start 250", format(phases.end(clock.nanos())));
    }

    /** A tracker reports the steps of a subflow as Corda wires them: as a child of the step that the flow is in. */
    @Test
    void followsTheTrackerOfAFlowAndItsSubflow() {
        ProgressTracker.Step sign = new ProgressTracker.Step("Sign");
        ProgressTracker.Step finish = new ProgressTracker.Step("Finish");
        ProgressTracker.Step notarize = new ProgressTracker.Step("Requesting signature by Notary service");
        ProgressTracker.Step validate = new ProgressTracker.Step("Validating response from Notary service");
        ProgressTracker tracker = new ProgressTracker(sign, finish);
        FlowPhases phases = new FlowPhases(0, clock);
        tracker.setCurrentStep(sign);
        clock.advance(0.010);
        phases.follow(new FlowProgressHandleImpl<>(StateMachineRunId.Companion.createRandom(), CordaFutureImplKt.openFuture(),
                tracker.getChanges().map(Object::toString)));

        clock.advance(0.020);
        tracker.setCurrentStep(finish);
        clock.advance(0.030);
        ProgressTracker child = new ProgressTracker(notarize, validate);
        tracker.setChildProgressTracker(finish, child);
        child.setCurrentStep(notarize);
        clock.advance(0.040);
        child.setCurrentStep(validate);
        child.setCurrentStep(ProgressTracker.DONE.INSTANCE);
        clock.advance(0.050);
        tracker.setCurrentStep(ProgressTracker.DONE.INSTANCE);
        clock.advance(0.060);

        assertEquals("Start 10, Sign 20, Finish 30, Notarization 40, Signature check and recording 110", format(phases.end(clock.nanos())));
    }
}
