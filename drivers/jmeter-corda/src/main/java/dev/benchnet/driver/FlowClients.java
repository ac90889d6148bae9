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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import net.corda.client.rpc.RPCException;
import net.corda.core.messaging.FlowHandle;

/** The clients of one worker. Each call of {@link #runNext} runs one flow of one client. Thread-safe. */
public final class FlowClients {
    /** Keeps clients of a closed loop from spinning while a member is unavailable. */
    private static final long PAUSE_WITHOUT_CONNECTION = TimeUnit.SECONDS.toNanos(1);

    private final LongFunction<Member> turns;
    private final Operation operation;
    private final Pacing pacing;
    private final Recorder recorder;
    private final Timeline timeline;
    private final Clock clock;

    /** {@code turns} maps the index of a slot to a member. */
    FlowClients(LongFunction<Member> turns, Operation operation, Pacing pacing, Recorder recorder, Timeline timeline,
            Clock clock) {
        this.turns = turns;
        this.operation = operation;
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
            return runFlow(slot);
        } finally {
            pacing.release(slot);
        }
    }

    private FlowSample runFlow(Slot slot) throws InterruptedException {
        Member member = turns.apply(slot.index);
        try {
            FlowHandle<?> flow = operation.start(member, purposeOf(slot));
            Object result = flow.getReturnValue().get(timeline.drainUntil() - clock.nanos(), TimeUnit.NANOSECONDS);
            return recordCompleted(slot, member, result);
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

    private FlowSample recordCompleted(Slot slot, Member member, Object result) {
        FlowSample outcome = endSample(slot, null);
        if (recorder.recordCompletion(slot, outcome.endNanos)) {
            operation.ledger().recordResult(member, result);
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
        return new FlowSample(timeline.phaseAt(slot.intended), slot.intended, clock.nanos(), error);
    }

    private FlowPurpose purposeOf(Slot slot) {
        return timeline.phaseAt(slot.intended) == Phase.WarmUp ? FlowPurpose.WarmUp : FlowPurpose.Window;
    }
}
