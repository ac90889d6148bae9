package dev.benchnet.driver;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Holds JMeter's threads until the load starts, so that the measurement does not include their start. */
public final class StartGate {
    private final CountDownLatch missing;
    private final CompletableFuture<FlowClients> open = new CompletableFuture<>();

    StartGate(int clients) {
        missing = new CountDownLatch(clients);
    }

    /** Blocks until the load starts. Each client's thread calls it once. */
    public FlowClients awaitStart() throws InterruptedException {
        missing.countDown();
        try {
            return open.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    void awaitAll() throws InterruptedException {
        if (!missing.await(2, TimeUnit.MINUTES)) {
            throw new FatalException("load.clients: " + missing.getCount() + " JMeter threads did not start within 2 minutes");
        }
    }

    void open(FlowClients clients) {
        open.complete(clients);
    }
}
