package dev.benchnet.driver.load;

import static dev.benchnet.driver.load.FakeClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.benchnet.driver.protocol.ProtocolJson;
import dev.benchnet.driver.workload.Measures;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;

class LoadTotalsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void bucketsEqualThoseOfTheAgent() throws Exception {
        JsonNode micros = JSON.readTree(Paths.get("../testdata/latency-buckets.json").toFile()).get("micros");

        assertArrayEquals(JSON.convertValue(micros, long[].class), LoadTotals.BUCKET_MICROS);
    }

    @Test
    void countsBucketsUpToTheirBounds() {
        LoadTotals totals = new LoadTotals();
        for (long micros : new long[] {0, 1_000, 1_001, 60_000_000, 60_000_001}) {
            totals.addCompletion(micros);
        }

        long[] counts = totals.latencyCounts();
        assertEquals(2, counts[0]);
        assertEquals(1, counts[1]);
        assertEquals(1, counts[19]);
        assertEquals(1, counts[20]);
        assertEquals(120_002_002, totals.latencySumMicros());
    }

    @Test
    void boundsTheKindsOfErrors() {
        LoadTotals totals = new LoadTotals();
        for (int i = 0; i < LoadTotals.MAX_ERROR_KINDS + 5; i++) {
            totals.addFailure("kind" + i);
        }
        totals.addFailure("kind0");

        assertEquals(LoadTotals.MAX_ERROR_KINDS + 1, totals.errors().size());
        assertEquals(5, totals.errors().get("Other"));
        assertEquals(2, totals.errors().get("kind0"));
    }

    @Test
    void progressHoldsTheTotalsOfWarmUpAndWindow() throws Exception {
        Recorder recorder = new Recorder(new Timeline(0, 0, Measures.of(2, 3, 1)));
        recorder.recordCompletion(new Slot(0, SECOND, 0), SECOND + SECOND / 1000);
        recorder.recordCompletion(new Slot(0, 2 * SECOND, 0), 4 * SECOND);
        recorder.recordFailure(new Slot(0, 3 * SECOND, 0), 4 * SECOND, "Timeout", "no answer");

        JsonNode totals = JSON.readTree(ProtocolJson.progressJson(recorder.currentProgress(5 * SECOND))).get("totals");

        assertEquals(21, totals.get("latencyCounts").size());
        assertEquals(1, totals.get("latencyCounts").get(0).asInt());
        assertEquals(1, totals.get("latencyCounts").get(14).asInt());
        assertEquals(2_001_000, totals.get("latencySumMicros").asLong());
        assertEquals(1, totals.get("errors").get("Timeout").asInt());
    }
}
