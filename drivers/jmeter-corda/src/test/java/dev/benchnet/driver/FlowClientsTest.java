package dev.benchnet.driver;

import static java.util.Collections.emptyList;
import static java.util.Collections.singletonList;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.benchnet.driver.corda.LedgerCheck;
import dev.benchnet.driver.corda.LedgerVerdict;
import dev.benchnet.driver.corda.Member;
import dev.benchnet.driver.corda.Operation;
import dev.benchnet.driver.corda.FlowPurpose;
import dev.benchnet.driver.load.Arrivals;
import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.FakeClock;
import dev.benchnet.driver.load.OpenLoop;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Summary;
import dev.benchnet.driver.load.Timeline;
import dev.benchnet.driver.workload.Measures;
import dev.benchnet.driver.protocol.ProtocolJson;
import dev.benchnet.driver.workload.Mix;
import dev.benchnet.driver.workload.Mixes;
import dev.benchnet.driver.workload.Worker;
import dev.benchnet.driver.workload.WorkloadFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import net.corda.client.rpc.RPCException;
import net.corda.core.concurrent.CordaFuture;
import net.corda.core.flows.StateMachineRunId;
import net.corda.core.internal.concurrent.CordaFutureImplKt;
import net.corda.core.messaging.FlowHandle;
import net.corda.core.messaging.FlowHandleImpl;
import net.corda.core.messaging.FlowProgressHandleImpl;
import org.junit.jupiter.api.Test;
import rx.Observable;

/** One flow per second; warm-up 0 to 1 s, window 1 to 3 s, drain to 4 s. */
class FlowClientsTest {
    private final FakeClock clock = new FakeClock();
    private final Timeline timeline = new Timeline(0, 0, Measures.of(1, 2, 1));
    private final Recorder recorder = new Recorder(timeline);
    private final OpenLoop pacing = new OpenLoop(timeline, clock, new Worker(0, 1), Arrivals.even(1, new Worker(0, 1)), Mix.SINGLE);
    private final List<Object> seen = Collections.synchronizedList(new ArrayList<>());
    private final List<FlowPurpose> purposes = Collections.synchronizedList(new ArrayList<>());

    private FlowClients clients(Supplier<CordaFuture<String>> flow) {
        return new FlowClients(index -> null, singletonList(operation(flow)), 0, pacing, recorder, timeline, clock);
    }

    private Operation operation(Supplier<CordaFuture<String>> flow) {
        return new Operation() {
            @Override
            public void prepare(Member member) { }

            @Override
            public FlowHandle<?> start(Member member, FlowPurpose purpose, int client, boolean tracked) {
                purposes.add(purpose);
                StateMachineRunId id = StateMachineRunId.Companion.createRandom();
                return tracked ? new FlowProgressHandleImpl<>(id, flow.get(), Observable.just("Signing transaction"))
                        : new FlowHandleImpl<>(id, flow.get());
            }

            @Override
            public LedgerCheck ledger() {
                return new LedgerCheck() {
                    @Override
                    public void recordResult(Member member, Object result) {
                        seen.add(result);
                    }

                    @Override
                    public LedgerVerdict verify(Duration patience) {
                        throw new AssertionError("nobody asked");
                    }
                };
            }
        };
    }

    private static List<String> errors(Summary summary) {
        List<String> errors = new ArrayList<>();
        summary.whole.visitErrors((kind, count, example) -> errors.add(kind + " " + count));
        return errors;
    }

    private Summary runAll(FlowClients clients) throws InterruptedException {
        while (clients.runNext(0) != null) {
            // Each is one flow.
        }
        return recorder.close(pacing.close());
    }

    @Test
    void ledgerCheckReceivesOnlyFlowsOfTheWindow() throws InterruptedException {
        Summary summary = runAll(clients(() -> CordaFutureImplKt.doneFuture("done")));

        assertEquals(2, summary.whole.completedCount());
        assertEquals(2, seen.size());
        assertEquals("[WarmUp, Window, Window]", purposes.toString());
        assertEquals(emptyList(), errors(summary));
    }

    @Test
    void runsTheOperationOfTheKindThatTheMixDecides() throws Exception {
        Worker worker = new Worker(0, 1);
        OpenLoop mixed = new OpenLoop(timeline, clock, worker, Arrivals.even(4, worker), Mixes.of(1, 1, 3));
        recorder.separateKinds(Arrays.asList("rare", "frequent"), Collections.emptyList());
        List<Operation> operations = Arrays.asList(operation(() -> CordaFutureImplKt.doneFuture("rare")),
                operation(() -> CordaFutureImplKt.doneFuture("frequent")));
        FlowClients clients = new FlowClients(index -> null, operations, 0, mixed, recorder, timeline, clock);
        List<Integer> kinds = new ArrayList<>();
        for (FlowSample sample = clients.runNext(0); sample != null; sample = clients.runNext(0)) {
            kinds.add(sample.kind);
        }
        Summary summary = recorder.close(mixed.close());

        assertEquals(12, kinds.size());
        assertEquals(3, Collections.frequency(kinds, 0));
        assertEquals(2, Collections.frequency(seen, "rare"), "those of the window");
        assertEquals(2, summary.kinds.get(0).completedCount());
        assertEquals(6, summary.kinds.get(1).completedCount());
    }

    @Test
    void recordsThePhasesOfTrackedFlowsOfTheWindow() throws InterruptedException {
        FlowClients tracking = new FlowClients(index -> null, singletonList(operation(() -> {
            clock.advance(0.25);
            return CordaFutureImplKt.doneFuture("done");
        })), 100, pacing, recorder, timeline, clock);
        Summary summary = runAll(tracking);

        assertEquals(singletonList(FlowPhases.START), summary.phases.names());
        assertEquals(2, summary.phases.operations().size(), "those of the window");
        assertArrayEquals(new long[] {0, 250_000}, summary.phases.operations().get(0));
        assertArrayEquals(new long[] {1, 250_000}, summary.phases.operations().get(1));
    }

    @Test
    void aStalledServiceLeavesEveryFlowThatWasDueCounted() throws Exception {
        StalledService scenario = StalledService.read();
        AtomicInteger started = new AtomicInteger();
        Operation stalling = operation(() -> started.incrementAndGet() <= scenario.answered
                ? CordaFutureImplKt.doneFuture("done") : CordaFutureImplKt.openFuture());
        WorkloadFile workload = scenario.workload();
        Timeline timeline = Timeline.startingAt(System.currentTimeMillis() + 200, workload.measure, Clock.SYSTEM);
        Pacing pacing = Pacing.of(workload, timeline, Clock.SYSTEM);
        Recorder recorder = new Recorder(timeline);
        FlowClients clients = new FlowClients(index -> null, singletonList(stalling), 0, pacing, recorder, timeline, Clock.SYSTEM);

        ExecutorService threads = Executors.newFixedThreadPool(workload.workerClients());
        for (int i = 0; i < workload.workerClients(); i++) {
            int client = i;
            threads.submit(() -> {
                while (clients.runNext(client) != null) {
                    // Each is one flow.
                }
                return null;
            });
        }
        threads.shutdown();
        assertTrue(threads.awaitTermination(1, TimeUnit.MINUTES));
        Summary summary = recorder.close(pacing.close());
        scenario.assertCounts(new ObjectMapper().readTree(ProtocolJson.resultJson(workload, timeline, summary).toString()));
    }

    @Test
    void latencyRunsFromTheIntendedStart() throws InterruptedException {
        FlowClients clients = clients(() -> {
            clock.advance(1.25); // Each flow takes longer than the interval.
            return CordaFutureImplKt.doneFuture("done");
        });
        clients.runNext(0);
        FlowSample second = clients.runNext(0); // due at 1 s, started at 1.25 s, ended at 2.5 s

        assertEquals(1_500_000_000L, second.endNanos - second.startNanos);
        assertNull(second.error);
    }

    @Test
    void errorsOfFlowsAndOfStartingThemAreCounted() throws InterruptedException {
        Summary failing = runAll(clients(() -> {
            CordaFuture<String> flow = CordaFutureImplKt.openFuture();
            ((net.corda.core.internal.concurrent.OpenFuture<String>) flow).setException(new IllegalStateException("no"));
            return flow;
        }));
        assertEquals(singletonList("java.lang.IllegalStateException 2"), errors(failing));
        assertEquals(emptyList(), seen);
    }

    @Test
    void lostConnectionIsAnErrorAndPausesTheClient() throws InterruptedException {
        FlowClients clients = clients(() -> {
            throw new RPCException("gone");
        });
        clients.runNext(0);
        assertEquals(FakeClock.SECOND, clock.nanos());
        assertEquals(singletonList("net.corda.client.rpc.RPCException 2"), errors(runAll(clients)));
    }

    @Test
    void flowsThatTheDrainCutsOffAreUnfinished() throws InterruptedException {
        Summary summary = runAll(clients(() -> {
            clock.advance(3.9); // The first flow ends just before the drain does, and the second is cut off.
            return clock.nanos() < timeline.drainUntil() ? CordaFutureImplKt.doneFuture("done") : CordaFutureImplKt.openFuture();
        }));

        assertEquals(0, summary.whole.completedCount());
        assertEquals(singletonList("Unfinished 2"), errors(summary));
        assertEquals(2, purposes.size(), "the third flow is not started");
    }
}
