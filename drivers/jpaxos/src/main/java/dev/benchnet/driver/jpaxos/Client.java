package dev.benchnet.driver.jpaxos;

import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Slot;
import java.util.concurrent.TimeUnit;

/** One client, with a thread and a connection of its own. */
final class Client {
    /** Without it, a replica that refuses requests at once would be flooded by a closed loop. */
    private static final long PAUSE_AFTER_ERROR = TimeUnit.SECONDS.toNanos(1);

    private final int index;
    private final Connection connection;
    private final Requests requests;
    private final byte[] request;

    Client(int index, Connection connection, Requests requests) {
        this.index = index;
        this.connection = connection;
        this.requests = requests;
        request = requests.buffer();
    }

    /** Connects, and has one request executed: first connections and first requests are slow. */
    void setUp() throws Throwable {
        connection.connect();
        send();
    }

    /** Sends requests until the load is over. */
    void work(Pacing pacing, Recorder recorder, Clock clock) throws InterruptedException {
        for (Slot slot = pacing.next(index); slot != null; slot = pacing.next(index)) {
            recorder.begin(slot);
            try {
                send();
                recorder.completed(slot, clock.nanos());
            } catch (Throwable e) { // Whatever the library throws ends this request alone.
                recorder.failed(slot, clock.nanos(), e.getClass().getName(), e.getMessage());
                clock.sleepUntil(clock.nanos() + PAUSE_AFTER_ERROR);
            } finally {
                pacing.done(slot);
            }
        }
    }

    private void send() throws Throwable {
        requests.fill(request);
        if (connection.execute(request) == null) {
            throw new IllegalStateException("the reply is empty: null");
        }
    }
}
