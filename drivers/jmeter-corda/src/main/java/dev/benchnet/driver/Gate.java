package dev.benchnet.driver;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Holds JMeter's threads until the load starts, so that starting them costs no measured time. */
public final class Gate {
    private final CountDownLatch missing;
    private final CompletableFuture<Clients> open = new CompletableFuture<>();

    Gate(int clients) {
        missing = new CountDownLatch(clients);
    }

    /** Called by each client's thread, once. */
    public Clients enter() throws InterruptedException {
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

    void open(Clients clients) {
        open.complete(clients);
    }
}
