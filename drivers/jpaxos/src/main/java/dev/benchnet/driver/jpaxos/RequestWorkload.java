package dev.benchnet.driver.jpaxos;

import dev.benchnet.driver.workload.Field;
import dev.benchnet.driver.workload.WorkloadFile;
import dev.benchnet.driver.workload.Worker;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/** The workload of one worker, and its requests. */
final class RequestWorkload extends WorkloadFile {
    /** Repeated: zero bytes in every request. Random: new bytes for each request. */
    enum Content { Repeated, Random }

    private static final int LARGEST = 16 << 20;

    private final int bytes;
    private final Content content;

    private RequestWorkload(Field root, Worker worker) {
        super(root, worker);
        Field operation = root.get("operation").requireObject();
        bytes = (int) operation.get("requestBytes").readInteger(1, LARGEST);
        content = operation.get("content").readEnum(Content.class);
    }

    static RequestWorkload read(Path file, Worker worker) {
        return new RequestWorkload(readJson(file), worker);
    }

    /** Returns the buffer of one client. */
    byte[] newBuffer() {
        return new byte[bytes];
    }

    /** Fills the client's buffer with its next request. */
    void fillPayload(byte[] buffer) {
        if (content == Content.Random) {
            ThreadLocalRandom.current().nextBytes(buffer);
        }
    }
}
