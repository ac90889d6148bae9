package lsr.paxos.client;

import java.util.concurrent.atomic.AtomicInteger;
import lsr.common.Configuration;

/** A fake of JPaxos's class for tests of the driver: replies with the request after a millisecond, and refuses some. */
public class Client {
    /** Number of requests of all clients. */
    public static final AtomicInteger EXECUTED = new AtomicInteger();
    /** Refuses every n-th request; 0: none. */
    public static volatile int refuseEvery;

    private boolean connected;

    public Client(Configuration configuration) { }

    public synchronized void connect() {
        connected = true;
    }

    public synchronized byte[] execute(byte[] request) throws Exception {
        if (!connected) {
            throw new IllegalStateException("not connected");
        }
        int count = EXECUTED.incrementAndGet();
        if (refuseEvery > 0 && count % refuseEvery == 0) {
            throw new Exception("Nack received: busy");
        }
        Thread.sleep(1);
        return request;
    }
}
