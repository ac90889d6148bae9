package dev.benchnet.driver;

import dev.benchnet.driver.corda.Member;
import dev.benchnet.driver.corda.Operation;
import dev.benchnet.driver.corda.FlowPurpose;
import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Phase;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Slot;
import dev.benchnet.driver.load.Timeline;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import net.corda.client.rpc.RPCException;
import net.corda.core.messaging.FlowHandle;
import net.corda.core.messaging.FlowProgressHandle;

/** The clients of one worker. Each call of {@link #runNext} runs one flow of one client. Thread-safe. */
public final class FlowClients {
    /** Keeps clients of a closed loop from spinning while a member is unavailable. */
    private static final long PAUSE_WITHOUT_CONNECTION = TimeUnit.SECONDS.toNanos(1);

    private final LongFunction<Member> turns;
    /** By the kinds of slots. */
    private final List<Operation> operations;
    private final int phaseSamplePercent;
    private final Pacing pacing;
    private final Recorder recorder;
    private final Timeline timeline;
    private final Clock clock;

    /** {@code turns} maps the index of a slot to a member. The phases of a random share of the flows are recorded. */
    FlowClients(LongFunction<Member> turns, List<Operation> operations, int phaseSamplePercent, Pacing pacing, Recorder recorder,
            Timeline timeline, Clock clock) {
        this.turns = turns;
        this.operations = operations;
        this.phaseSamplePercent = phaseSamplePercent;
        this.pacing = pacing;
        this.recorder = recorder;
        this.timeline = timeline;
        this.clock = clock;
    }

    /** Waits for the client's turn and runs one flow to its end. Returns null when the load is over. */
    public FlowSample runNext(int client) throws InterruptedException {
        Slot slot = pacing.awaitNext(client);
        if (slot == null) {
            return null;
        }
        try {
            recorder.recordStart(slot);
            return runFlow(slot, client);
        } finally {
            pacing.release(slot);
        }
    }

    private FlowSample runFlow(Slot slot, int client) throws InterruptedException {
        Member member = turns.apply(slot.index);
        try {
            boolean tracked = ThreadLocalRandom.current().nextInt(100) < phaseSamplePercent;
            FlowPhases phases = tracked ? new FlowPhases(slot.intended, clock) : null;
            FlowHandle<?> flow = operations.get(slot.kind).start(member, purposeOf(slot), client, tracked);
            if (tracked) {
                phases.follow((FlowProgressHandle<?>) flow);
            }
            Object result = flow.getReturnValue().get(timeline.drainUntil() - clock.nanos(), TimeUnit.NANOSECONDS);
            return recordCompleted(slot, member, result, phases);
        } catch (TimeoutException e) {
            return endSample(slot, "not finished");
        } catch (ExecutionException e) {
            return recordFailed(slot, e.getCause());
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) { // Kotlin code throws checked exceptions that it does not declare.
            return recordFailed(slot, e);
        }
    }

    /** Phases are null if the flow was not tracked. */
    private FlowSample recordCompleted(Slot slot, Member member, Object result, FlowPhases phases) {
        FlowSample outcome = endSample(slot, null);
        if (phases != null) {
            recorder.recordPhases(slot, phases.end(outcome.endNanos));
        }
        if (recorder.recordCompletion(slot, outcome.endNanos)) {
            operations.get(slot.kind).ledger().recordResult(member, result);
        }
        return outcome;
    }

    private FlowSample recordFailed(Slot slot, Throwable error) throws InterruptedException {
        FlowError reason = FlowError.of(error);
        FlowSample outcome = endSample(slot, reason.kind);
        recorder.recordFailure(slot, outcome.endNanos, reason.kind, reason.message);
        if (error instanceof RPCException) {
            clock.sleepUntil(clock.nanos() + PAUSE_WITHOUT_CONNECTION);
        }
        return outcome;
    }

    private FlowSample endSample(Slot slot, String error) {
        return new FlowSample(slot.kind, timeline.phaseAt(slot.intended), slot.intended, clock.nanos(), error);
    }

    private FlowPurpose purposeOf(Slot slot) {
        return timeline.phaseAt(slot.intended) == Phase.WarmUp ? FlowPurpose.WarmUp : FlowPurpose.Window;
    }
}
