package lsr.paxos.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import lsr.common.Configuration;

/**
 * A fake of JPaxos's class for tests of the driver: replies with the request after a millisecond, and refuses some. It
 * can stall.
 */
public class Client {
    /** Number of requests of all clients. */
    public static final AtomicInteger EXECUTED = new AtomicInteger();
    /** Sizes of the requests of all clients. */
    public static final Set<Integer> SIZES = ConcurrentHashMap.newKeySet();
    /** Refuses every n-th request; 0: none. */
    public static volatile int refuseEvery;

    /** Answers this many requests, and none after them; 0: all. */
    public static volatile int stallAfter;

    private boolean connected;

    public Client(Configuration configuration) { }

    public synchronized void connect() {
        connected = true;
    }

    public synchronized byte[] execute(byte[] request) throws Exception {
        if (!connected) {
            throw new IllegalStateException("not connected");
        }
        SIZES.add(request.length);
        int count = EXECUTED.incrementAndGet();
        if (refuseEvery > 0 && count % refuseEvery == 0) {
            throw new Exception("Nack received: busy");
        }
        if (stallAfter > 0 && count > stallAfter) {
            new CountDownLatch(1).await();
        }
        Thread.sleep(1);
        return request;
    }
}
