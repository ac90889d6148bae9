package dev.benchnet.driver.jpaxos;

import dev.benchnet.driver.workload.Field;
import dev.benchnet.driver.workload.WorkloadFile;
import dev.benchnet.driver.workload.Worker;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/** The workload of one worker, and its requests. */
final class RequestWorkload extends WorkloadFile {
    /** Repeated: zero bytes in every request. Random: new bytes for each request. */
    enum Content { Repeated, Random }

    private static final int LARGEST = 16 << 20;

    /** The sizes of the payloads in the order of the mix; one without a mix. */
    private final List<Integer> sizes;
    private final Content content;

    private RequestWorkload(Field root, Worker worker) {
        super(root, worker);
        Field operation = root.get("operation").requireObject();
        List<Integer> mixed = operation.get("mix").readList(RequestWorkload::readSize);
        sizes = mixed.isEmpty() ? Collections.singletonList(readSize(operation)) : mixed;
        content = operation.get("content").readEnum(Content.class);
    }

    private static int readSize(Field field) {
        return (int) field.get("requestBytes").readInteger(1, LARGEST);
    }

    static RequestWorkload read(Path file, Worker worker) {
        return new RequestWorkload(readJson(file), worker);
    }

    /** Returns the buffers of one client, one for each kind of requests. */
    List<byte[]> newBuffers() {
        return sizes.stream().map(byte[]::new).collect(Collectors.toList());
    }

    /** Fills a buffer with the client's next request. */
    void fillPayload(byte[] buffer) {
        if (content == Content.Random) {
            ThreadLocalRandom.current().nextBytes(buffer);
        }
    }
}
