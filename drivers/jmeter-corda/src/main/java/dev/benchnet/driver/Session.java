package dev.benchnet.driver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.benchnet.driver.corda.LedgerVerdict;
import dev.benchnet.driver.corda.Member;
import dev.benchnet.driver.corda.Members;
import dev.benchnet.driver.corda.Operation;
import dev.benchnet.driver.corda.Operations;
import dev.benchnet.driver.corda.Purpose;
import dev.benchnet.driver.corda.workload.Workload;
import dev.benchnet.driver.jmeter.CordaSampler;
import dev.benchnet.driver.jmeter.Plan;
import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Summary;
import dev.benchnet.driver.load.Timeline;
import dev.benchnet.driver.protocol.Barrier;
import dev.benchnet.driver.protocol.Documents;
import dev.benchnet.driver.protocol.ProgressReporter;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** One workload from set-up to result. */
final class Session {
    /** For threads that a member keeps from noticing that the drain is over. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final Workload workload;
    private final Barrier barrier;
    private final Plan plan;
    private final Clock clock = Clock.SYSTEM;

    Session(Workload workload, Barrier barrier, Plan plan) {
        this.workload = workload;
        this.barrier = barrier;
        this.plan = plan;
    }

    void run() throws InterruptedException {
        Function<Members, Operation> prepared = Operations.of(workload);
        try (Members members = Members.connect(workload.directory.targets)) {
            Operation operation = prepared.apply(members);
            members.forEach(member -> setUp(operation, member));
            measure(members, operation);
        }
    }

    /** Connections, serialisers and caches are slow at first: one flow on each member leaves that behind. */
    private static void setUp(Operation operation, Member member) {
        operation.prepare(member);
        try {
            operation.start(member, Purpose.SetUp).getReturnValue().get();
        } catch (ExecutionException e) {
            FlowError error = FlowError.of(e.getCause());
            throw new FatalException("operation.flow: the trial flow on " + member + " failed: " + error.kind + ": "
                    + error.message);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FatalException("operation.flow: run the trial flow on " + member, e);
        }
    }

    private void measure(Members members, Operation operation) throws InterruptedException {
        Gate gate = new Gate(workload.clients());
        CordaSampler.holdAt(gate);
        plan.start();
        gate.awaitAll();
        barrier.ready();

        Timeline timeline = Timeline.startingAt(barrier.awaitStart(), workload.measure, clock);
        Pacing pacing = Pacing.of(workload, timeline, clock);
        Recorder recorder = new Recorder(timeline);
        try (ProgressReporter reporter = new ProgressReporter(barrier, recorder, clock)) {
            gate.open(new Clients(members::at, operation, pacing, recorder, timeline, clock));
            plan.awaitEnd(Duration.ofNanos(timeline.drainUntil - clock.nanos()).plus(GRACE));
        }
        Summary summary = recorder.close();
        LedgerVerdict ledger = verify(operation);
        ObjectNode result = Documents.result(workload, timeline, summary, pacing.schedule());
        ledger.describe(result.putObject("ledger"));
        barrier.result(result.toString());
    }

    /** A member that cannot be asked leaves the measurement as good as it was. */
    private static LedgerVerdict verify(Operation operation) throws InterruptedException {
        try {
            return operation.ledger().verify();
        } catch (RuntimeException e) {
            FlowError error = FlowError.of(e);
            return LedgerVerdict.unchecked("ask the members: " + error.kind + ": " + error.message);
        }
    }
}
