package dev.benchnet.driver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.benchnet.driver.corda.BoundedCall;
import dev.benchnet.driver.corda.LedgerCheck;
import dev.benchnet.driver.corda.LedgerVerdict;
import dev.benchnet.driver.corda.Member;
import dev.benchnet.driver.corda.Members;
import dev.benchnet.driver.corda.Operation;
import dev.benchnet.driver.corda.OperationFactory;
import dev.benchnet.driver.corda.FlowPurpose;
import dev.benchnet.driver.corda.workload.DataTable;
import dev.benchnet.driver.corda.workload.Workload;
import dev.benchnet.driver.jmeter.CordaSampler;
import dev.benchnet.driver.jmeter.JMeterPlan;
import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Summary;
import dev.benchnet.driver.load.Timeline;
import dev.benchnet.driver.protocol.Barrier;
import dev.benchnet.driver.protocol.ProtocolJson;
import dev.benchnet.driver.protocol.ProgressReporter;
import dev.benchnet.driver.protocol.StructuredLog;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Runs one workload from set-up to result. */
final class WorkloadSession {
    /** Extra time for threads that a blocking member keeps from noticing the end of the drain. */
    private static final Duration GRACE = Duration.ofSeconds(5);
    /** The maximum time of the ledger check, which reads all states of the run. */
    private static final Duration LEDGER_TIMEOUT = Duration.ofMinutes(5);

    private final Workload workload;
    private final Barrier barrier;
    private final JMeterPlan plan;
    private final Clock clock = Clock.SYSTEM;

    WorkloadSession(Workload workload, Barrier barrier, JMeterPlan plan) {
        this.workload = workload;
        this.barrier = barrier;
        this.plan = plan;
    }

    void run() throws InterruptedException {
        DataTable data = workload.data() == null ? null : DataTable.read(workload.data());
        Function<Members, List<Operation>> prepared = OperationFactory.create(workload, data);
        Map<String, Operation> setUps = OperationFactory.createSetUps(workload, data);
        try (Members members = Members.connect(workload.directory.targets)) {
            List<Operation> operations = prepared.apply(members);
            setUp(members, operations, setUps);
            measure(members, operations, data);
        }
    }

    /**
     * Runs one flow of each kind on each member, because connections, serialisers and caches are slow at first. Before
     * that, the first worker runs the set-up flows, if there are any, on its first member. Then the other workers run no
     * trial flows, since they do not know when the set-up flows have ended.
     */
    private void setUp(Members members, List<Operation> operations, Map<String, Operation> setUps) throws InterruptedException {
        boolean first = workload.worker.index == 0;
        if (first) {
            setUps.forEach((field, setUp) -> runSetUp(field, setUp, members.memberFor(0)));
        }
        members.forEach(member -> {
            for (int i = 0; i < operations.size(); i++) {
                operations.get(i).prepare(member);
                if (setUps.isEmpty() || first) {
                    runOnce(workload.operations.get(i).field + ".flow: the trial flow", operations.get(i), member);
                }
            }
        });
    }

    private void runSetUp(String field, Operation setUp, Member member) {
        long begin = clock.nanos();
        setUp.prepare(member);
        runOnce(field + ".flow: the set-up flow", setUp, member);
        StructuredLog.write("INFO", "set-up flow ended", "member", member, "seconds", (clock.nanos() - begin) / 1e9);
    }

    private static void runOnce(String what, Operation operation, Member member) {
        try {
            operation.start(member, FlowPurpose.SetUp, 0, false).getReturnValue().get();
        } catch (ExecutionException e) {
            FlowError error = FlowError.of(e.getCause());
            throw new FatalException(what + " on " + member + " failed: " + error.kind + ": " + error.message);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FatalException(what + " on " + member + ": wait for its end", e);
        }
    }

    private void measure(Members members, List<Operation> operations, DataTable data) throws InterruptedException {
        StartGate gate = new StartGate(workload.workerClients());
        CordaSampler.setGate(gate, workload.operations.stream().map(operation -> operation.name).collect(Collectors.toList()));
        plan.start();
        gate.awaitAll();
        barrier.writeReady();

        Timeline timeline = Timeline.startingAt(barrier.awaitStart(), workload.measure, clock);
        Pacing pacing = Pacing.of(workload, timeline, clock);
        Recorder recorder = new Recorder(timeline);
        recorder.separateKinds(workload.mix.names, workload.segmentEnds);
        try (ProgressReporter reporter = new ProgressReporter(barrier, recorder, timeline, clock)) {
            gate.open(new FlowClients(members::memberFor, operations, workload.phaseSamplePercent, pacing, recorder,
                    timeline, clock));
            if (!plan.awaitEnd(() -> Duration.ofNanos(timeline.drainUntil() - clock.nanos()).plus(GRACE))) {
                plan.stop();
            }
        }
        Summary summary = recorder.close(pacing.close());
        LedgerVerdict ledger = verifyAll(operations);
        ObjectNode result = ProtocolJson.resultJson(workload, timeline, summary);
        if (data != null) {
            result.putObject("data").put("sha256", data.sha256).put("rows", data.rowCount());
        }
        ledger.writeTo(result.putObject("ledger"));
        barrier.writeResult(result.toString());
    }

    /** Verifies the ledger of each kind, in the time that the kinds before it left. */
    private LedgerVerdict verifyAll(List<Operation> operations) throws InterruptedException {
        Map<String, LedgerVerdict> verdicts = new LinkedHashMap<>();
        Duration left = LEDGER_TIMEOUT;
        for (int i = 0; i < operations.size(); i++) {
            long begin = clock.nanos();
            verdicts.put(workload.operations.get(i).name, verify(operations.get(i).ledger(), left));
            left = Duration.ofNanos(Math.max(0, left.toNanos() - (clock.nanos() - begin)));
        }
        return verdicts.size() == 1 ? verdicts.values().iterator().next() : LedgerVerdict.ofMix(verdicts);
    }

    /** A member that cannot be queried leaves the ledger unchecked; it does not invalidate the measurement. */
    static LedgerVerdict verify(LedgerCheck ledger, Duration limit) throws InterruptedException {
        try {
            return BoundedCall.run(limit, () -> ledger.verify());
        } catch (TimeoutException e) {
            return LedgerVerdict.unchecked("ask the members: no answer within " + limit.getSeconds() + " s");
        } catch (ExecutionException e) {
            FlowError error = FlowError.of(e.getCause());
            return LedgerVerdict.unchecked("ask the members: " + error.kind + ": " + error.message);
        }
    }
}
