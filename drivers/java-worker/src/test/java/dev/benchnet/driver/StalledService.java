package dev.benchnet.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.benchnet.driver.workload.Field;
import dev.benchnet.driver.workload.Worker;
import dev.benchnet.driver.workload.WorkloadFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Paths;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/** The scenario drivers/testdata/stalled-service.json, which every driver must count completely. */
public final class StalledService {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final JsonNode root;
    /** The number of requests that the service answers before it stalls. */
    public final int answered;
    private final JsonNode expected;

    /** The common part of a workload, for the only worker. */
    private static final class ScenarioWorkload extends WorkloadFile {
        ScenarioWorkload(JsonNode root) {
            super(new Field("", root), new Worker(0, 1));
        }
    }

    private StalledService(JsonNode root) {
        this.root = root;
        answered = root.get("answered").asInt();
        expected = root.get("expected");
    }

    public static StalledService read() throws IOException {
        return new StalledService(JSON.readTree(Paths.get("../testdata/stalled-service.json").toFile()));
    }

    /** Returns a workload.json without operation and targets. */
    public ObjectNode workloadJson() {
        return JSON.createObjectNode().put("reference", "stalled-service")
                .<ObjectNode>set("load", root.get("load")).set("measure", root.get("measure"));
    }

    public WorkloadFile workload() {
        return new ScenarioWorkload(workloadJson());
    }

    /** Returns the number of requests that are due in the window. */
    public int planned() {
        return expected.get("planned").asInt();
    }

    /** Asserts that all requests are among those that a driver without a result of its own recorded. */
    public void assertCounts(long completed, long unfinished) {
        assertEquals(expected.get("completed").asLong(), completed);
        assertEquals(expected.get("unfinished").asLong(), unfinished);
    }

    /** Asserts that result.json of the only worker counts every request that was due. */
    public void assertCounts(JsonNode result) throws Exception {
        byte[] histogram = Base64.getDecoder().decode(result.get("histogram").asText());
        assertEquals(expected.get("completed").asLong(),
                Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(histogram), 0).getTotalCount());
        assertEquals(1, result.get("errors").size(), result.get("errors").toString());
        assertEquals("Unfinished", result.get("errors").get(0).get("kind").asText());
        assertEquals(expected.get("unfinished").asLong(), result.get("errors").get(0).get("count").asLong());
        JsonNode schedule = result.get("schedule");
        assertEquals(expected.get("planned").asLong(), schedule.get("planned").asLong());
        // On a busy machine clients may be late before the stall, so that later requests count as late too.
        long delayed = schedule.get("clientsBusy").asLong() + schedule.get("late").asLong();
        assertTrue(delayed >= expected.get("clientsBusy").asLong(), schedule.toString());
    }
}
