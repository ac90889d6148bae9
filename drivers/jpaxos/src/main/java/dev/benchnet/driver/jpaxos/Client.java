package dev.benchnet.driver.jpaxos;

import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Slot;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One client with its own thread and connection. */
final class Client {
    /** Keeps a closed loop from flooding a replica that refuses requests at once. */
    private static final long PAUSE_AFTER_ERROR = TimeUnit.SECONDS.toNanos(1);

    private final int index;
    private final Connection connection;
    private final RequestWorkload requests;
    private final List<byte[]> buffers;

    Client(int index, Connection connection, RequestWorkload requests) {
        this.index = index;
        this.connection = connection;
        this.requests = requests;
        buffers = requests.newBuffers();
    }

    /** Connects and has one request of each kind executed, since first connections and first requests are slow. */
    void setUp() throws Throwable {
        connection.connect();
        for (byte[] buffer : buffers) {
            sendRequest(buffer);
        }
    }

    /** Sends requests until the load is over. */
    void applyLoad(Pacing pacing, Recorder recorder, Clock clock) throws InterruptedException {
        for (Slot slot = pacing.awaitNext(index); slot != null; slot = pacing.awaitNext(index)) {
            recorder.recordStart(slot);
            try {
                sendRequest(buffers.get(slot.kind));
                recorder.recordCompletion(slot, clock.nanos());
            } catch (Throwable e) { // An error of the library ends only this request.
                recorder.recordFailure(slot, clock.nanos(), e.getClass().getName(), e.getMessage());
                clock.sleepUntil(clock.nanos() + PAUSE_AFTER_ERROR);
            } finally {
                pacing.release(slot);
            }
        }
    }

    private void sendRequest(byte[] request) throws Throwable {
        requests.fillPayload(request);
        if (connection.execute(request) == null) {
            throw new IllegalStateException("the reply is empty: null");
        }
    }
}
