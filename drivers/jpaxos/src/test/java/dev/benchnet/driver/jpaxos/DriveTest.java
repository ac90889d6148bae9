package dev.benchnet.driver.jpaxos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.benchnet.driver.StalledService;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import lsr.paxos.client.Client;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the files that the whole driver writes, with a fake of JPaxos's client. */
class DriveTest {
    private static final String CLOSED = "{'targets':[],'operation':{'requestBytes':128,'content':'Random'},"
            + "'load':{'model':'Closed','clients':6},'measure':{'warmUpSeconds':1,'windowSeconds':1,'drainSeconds':60},"
            + "'reference':'run-1','unit':'requests'}";

    @TempDir
    Path folder;

    /** The number of requests of the load that the fake answers; 0: all. */
    private int answeredOfLoad;
    private int workers;

    @BeforeEach
    void resetFakeClient() {
        answeredOfLoad = 0;
        workers = 2;
        Client.refuseEvery = 0;
        Client.stallAfter = 0;
        Client.EXECUTED.set(0); // It decides which request is refused.
    }

    private int drive(String workload, String... arguments) throws Exception {
        return driveUntil(0, workload, arguments);
    }

    /**
     * Runs the driver, starts the load once the driver is ready, and stops it after {@code stopSeconds}; 0: no stop.
     */
    private int driveUntil(int stopSeconds, String workload, String... arguments) throws Exception {
        write("workload.json", workload.replace('\'', '"'));
        write("paxos.properties", "");
        for (String stale : new String[] {"ready", "start", "stop"}) {
            Files.deleteIfExists(folder.resolve(stale));
        }
        Map<String, String> environment = new HashMap<>();
        environment.put("BENCHNET_DIR", folder.toString());
        environment.put("BENCHNET_WORKLOAD", folder.resolve("workload.json").toString());
        environment.put("BENCHNET_WORKER", Integer.toString(workers - 1));
        environment.put("BENCHNET_WORKERS", Integer.toString(workers));
        String[] given = arguments.length > 0 ? arguments : new String[] {"--properties", folder + "/paxos.properties"};
        CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> Drive.run(given, environment));
        while (!Files.exists(folder.resolve("ready")) && !code.isDone()) {
            Thread.sleep(10);
        }
        Client.stallAfter = answeredOfLoad > 0 ? Client.EXECUTED.get() + answeredOfLoad : 0;
        long start = System.currentTimeMillis() + 200;
        if (stopSeconds > 0) {
            write("stop", Long.toString(start + 1000L * stopSeconds));
        }
        write("start.whole", Long.toString(start));
        Files.move(folder.resolve("start.whole"), folder.resolve("start"));
        return code.get();
    }

    private void write(String name, String content) throws IOException {
        Files.write(folder.resolve(name), content.getBytes(StandardCharsets.UTF_8));
    }

    private String failure() throws IOException {
        return new String(Files.readAllBytes(folder.resolve("failure")), StandardCharsets.UTF_8).trim();
    }

    private JsonNode result() throws IOException {
        return new ObjectMapper().readTree(folder.resolve("result.json").toFile());
    }

    private static Histogram histogram(JsonNode result) throws Exception {
        return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(result.get("histogram").asText())), 1);
    }

    @Test
    void aClosedLoopMeasuresItsShareOfTheClients() throws Exception {
        int before = Client.EXECUTED.get();
        assertEquals(0, drive(CLOSED));

        JsonNode result = result();
        long completed = histogram(result).getTotalCount();
        // Each of the three clients takes at least 1 ms per request: at most 3000 in the second. The number depends
        // on the machine.
        assertTrue(completed > 0 && completed <= 3000, completed + " requests");
        assertTrue(histogram(result).getMinValue() >= 1000, "the stand-in takes a millisecond");
        assertEquals(1, result.get("worker").asInt());
        assertEquals("requests", result.get("unit").asText());
        assertFalse(result.has("operations"), "there is no mix");
        assertEquals(0, result.get("errors").size(), result.get("errors").toString());
        assertTrue(Client.EXECUTED.get() - before > completed + 3, "warm-up and first requests do not count");
        assertTrue(Files.exists(folder.resolve("ready")));
    }

    @Test
    void anOpenLoopKeepsItsRate() throws Exception {
        assertEquals(0, drive(CLOSED.replace("'model':'Closed'", "'model':'Open','ratePerSecond':200")));
        assertEquals(100, histogram(result()).getTotalCount(), "half of 200 in a second, this being one of two workers");
        assertEquals(100, result().get("schedule").get("planned").asInt());
    }

    @Test
    void aMixHasExactSharesAndMeasuresEachSize() throws Exception {
        workers = 1;
        Client.SIZES.clear();
        String mix = "'mix':[{'name':'small','weight':3,'requestBytes':10},{'name':'large','weight':1,'requestBytes':2000}]";
        String segments = "{'segments':[{'fromSeconds':0,'seconds':1}],";
        assertEquals(0, drive(CLOSED.replace("'model':'Closed'", "'model':'Open','ratePerSecond':200").replace("'requestBytes':128", mix)
                .replaceFirst("\\{", segments)));

        JsonNode operations = result().get("operations");
        assertEquals("small", operations.get(0).get("name").asText());
        assertEquals("large", operations.get(1).get("name").asText());
        assertEquals(150, histogram(operations.get(0)).getTotalCount());
        assertEquals(50, histogram(operations.get(1)).getTotalCount());
        assertEquals(operations.get(1).get("histogram"), operations.get(1).get("segments").get(0).get("histogram"));
        long completed = operations.get(0).get("completed").asLong() + operations.get(1).get("completed").asLong();
        assertEquals(result().get("completedPerSecond").get(0).asLong(), completed);
        assertEquals(0, operations.get(0).get("failed").asLong());
        assertEquals(new HashSet<>(Arrays.asList(10, 2000)), Client.SIZES);
    }

    @Test
    void aStalledServiceLeavesEveryRequestThatWasDueCounted() throws Exception {
        StalledService scenario = StalledService.read();
        answeredOfLoad = scenario.answered;
        workers = 1;
        ObjectNode workload = scenario.workloadJson();
        workload.putObject("operation").put("requestBytes", 128).put("content", "Random");
        assertEquals(0, drive(workload.toString()));
        scenario.assertCounts(result());
    }

    /** The workload asks for 60 s in intervals of 1 s; the stop comes after 3 s. */
    @Test
    void theStopEndsTheLoadAndTheRecordingIsInIntervals() throws Exception {
        for (String load : new String[] {"'model':'Closed'", "'model':'Open','ratePerSecond':200"}) {
            assertEquals(0, driveUntil(3, CLOSED.replace("'model':'Closed'", load)
                    .replace("'warmUpSeconds':1,'windowSeconds':1", "'warmUpSeconds':0,'windowSeconds':60,'intervalSeconds':1,'stopsEarly':true")));

            JsonNode result = result();
            long start = Long.parseLong(new String(Files.readAllBytes(folder.resolve("start")), StandardCharsets.UTF_8));
            assertTrue(System.currentTimeMillis() - start < 55_000, "it ends before the longest window would");
            assertEquals(60, result.get("windowSeconds").asInt());
            assertEquals(60, result.get("intervals").size());
            long inIntervals = 0;
            for (int i = 0; i < 60; i++) {
                long completed = histogram(result.get("intervals").get(i)).getTotalCount();
                inIntervals += completed;
                assertEquals(i < 3, completed > 0, completed + " requests in interval " + i);
            }
            assertEquals(histogram(result).getTotalCount(), inIntervals);
            JsonNode progress = new ObjectMapper().readTree(folder.resolve("progress.json").toFile());
            assertTrue(progress.get("completedPerSecond").size() >= 1, progress.toString());
        }
    }

    @Test
    void refusedRequestsAreCounted() throws Exception {
        // A small number, so that even a busy machine reaches a refusal: afterwards a client pauses for a second.
        Client.refuseEvery = 5;
        assertEquals(0, drive(CLOSED));
        JsonNode error = result().get("errors").get(0);
        assertEquals("java.lang.Exception", error.get("kind").asText());
        assertEquals("Nack received: busy", error.get("example").asText());
    }

    @Test
    void aRefusalDuringSetUpEndsTheWorker() throws Exception {
        Client.refuseEvery = 1;
        assertEquals(1, drive(CLOSED));
        assertEquals("set up: connect a client and have one request executed: Nack received: busy", failure());
    }

    @Test
    void failureNamesTheInvalidField() throws Exception {
        assertEquals(1, drive(CLOSED.replace("'requestBytes':128", "'requestBytes':0")));
        assertEquals("operation.requestBytes: must be a whole number from 1 to 16777216, but is 0", failure());

        assertEquals(1, drive(CLOSED.replace("'Random'", "'Zero'")));
        assertEquals("operation.content: must be one of [Repeated, Random], but is \"Zero\"", failure());

        assertEquals(1, drive(CLOSED, "--properties", "/nonexistent/paxos.properties"));
        assertTrue(failure().startsWith("read the replicas from /nonexistent/paxos.properties"), failure());

        assertEquals(1, drive(CLOSED, "--config"));
        assertEquals("options: only --properties FILE is known, but are --config", failure());
    }
}
