package dev.benchnet.driver.jpaxos;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Summary;
import dev.benchnet.driver.load.Timeline;
import dev.benchnet.driver.protocol.Barrier;
import dev.benchnet.driver.protocol.ProtocolJson;
import dev.benchnet.driver.protocol.ProgressReporter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Runs one workload from set-up to result. */
final class Session {
    /**
     * A client's stack holds a few small frames; with the default of 1 MiB a thousand clients would need a gigabyte.
     */
    private static final long STACK_BYTES = 256 << 10;
    private static final int SET_UP_SECONDS = 120;
    private static final long END_POLL_MILLIS = 50;

    /** The objects that all clients need for the load. */
    private static final class Start {
        final Pacing pacing;
        final Recorder recorder;

        Start(Pacing pacing, Recorder recorder) {
            this.pacing = pacing;
            this.recorder = recorder;
        }
    }

    private final RequestWorkload requests;
    private final Barrier barrier;
    private final Replicas replicas;
    private final Clock clock = Clock.SYSTEM;
    private final CountDownLatch settingUp;
    private final CountDownLatch working;
    private final CompletableFuture<Start> start = new CompletableFuture<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    Session(RequestWorkload requests, Barrier barrier, Replicas replicas) {
        this.requests = requests;
        this.barrier = barrier;
        this.replicas = replicas;
        settingUp = new CountDownLatch(requests.workerClients());
        working = new CountDownLatch(requests.workerClients());
    }

    void run() throws InterruptedException {
        for (int i = 0; i < requests.workerClients(); i++) {
            int index = i;
            Thread thread = new Thread(null, () -> runClient(index), "client-" + index, STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
        }
        awaitSetUp();
        barrier.writeReady();
        measure();
    }

    private void runClient(int index) {
        try {
            Client client = new Client(index, replicas.newConnection(), requests);
            client.setUp();
            settingUp.countDown();
            Start start = this.start.get();
            client.applyLoad(start.pacing, start.recorder, clock);
        } catch (InterruptedException | ExecutionException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) { // An error of the library during set-up.
            failure.compareAndSet(null, e);
            settingUp.countDown();
        } finally {
            working.countDown();
        }
    }

    private void awaitSetUp() throws InterruptedException {
        boolean all = settingUp.await(SET_UP_SECONDS, TimeUnit.SECONDS);
        if (failure.get() != null) {
            throw new FatalException("set up: connect a client and have one request executed", failure.get());
        }
        if (!all) {
            throw new FatalException("set up: " + settingUp.getCount() + " of " + requests.workerClients() + " clients had no reply to their first"
                    + " request within " + SET_UP_SECONDS + " s");
        }
    }

    private void measure() throws InterruptedException {
        Timeline timeline = Timeline.startingAt(barrier.awaitStart(), requests.measure, clock);
        Pacing pacing = Pacing.of(requests, timeline, clock);
        Recorder recorder = new Recorder(timeline);
        recorder.separateKinds(requests.mix.names, requests.segmentEnds);
        try (ProgressReporter reporter = new ProgressReporter(barrier, recorder, timeline, clock)) {
            start.complete(new Start(pacing, recorder));
            while (clock.nanos() < timeline.drainUntil() && !working.await(END_POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                // The end may become earlier during the wait.
            }
        }
        Summary summary = recorder.close(pacing.close());
        barrier.writeResult(ProtocolJson.resultJson(requests, timeline, summary).toString());
    }
}
