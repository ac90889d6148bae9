package dev.benchnet.driver.load;

import static dev.benchnet.driver.load.FakeClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.benchnet.driver.workload.Load;
import dev.benchnet.driver.workload.Loads;
import dev.benchnet.driver.workload.Measures;
import dev.benchnet.driver.workload.RatePiece;
import dev.benchnet.driver.workload.Mix;
import dev.benchnet.driver.workload.Worker;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases are those of drivers/testdata/rates.json, whose times and counts are exact. */
class RateFunctionTest {
    private static final double TOLERANCE = 1e-6;
    private static final long NEVER = Long.MAX_VALUE;

    /** A case of the file, named in the report of the tests. */
    private static final class Case {
        final JsonNode root;

        Case(JsonNode root) {
            this.root = root;
        }

        Load load(Worker worker, String fields) throws Exception {
            return Loads.open(fields + "'rates':" + root.get("rates"), worker);
        }

        List<RatePiece> rates() throws Exception {
            return load(new Worker(0, 1), "").rates;
        }

        long nanosUntil(long operation) throws Exception {
            return new RateFunction(rates()).nanosUntil(operation);
        }

        /** Returns the cumulative count at the start of each piece and the total. */
        double[] counts() throws Exception {
            List<RatePiece> rates = rates();
            double[] counts = new double[rates.size() + 1];
            for (int i = 0; i < rates.size(); i++) {
                counts[i + 1] = counts[i] + rates.get(i).seconds * (rates.get(i).fromPerSecond + rates.get(i).toPerSecond) / 2;
            }
            return counts;
        }

        @Override
        public String toString() {
            return root.get("name").asText();
        }
    }

    static Stream<Case> all() throws Exception {
        JsonNode cases = new ObjectMapper().readTree(Paths.get("../testdata/rates.json").toFile());
        return StreamSupport.stream(cases.spliterator(), false).map(Case::new);
    }

    /** Returns the cases whose operations are few enough to draw all of them. */
    static Stream<Case> small() throws Exception {
        return all().filter(c -> !c.root.get("name").asText().equals("day"));
    }

    private static long firstFrom(double count) {
        return (long) Math.ceil(count - TOLERANCE);
    }

    @ParameterizedTest
    @MethodSource("all")
    void operationsAreDueWhenTheirCountIsExceeded(Case c) throws Exception {
        for (JsonNode due : c.root.get("due")) {
            assertEquals(due.get("nanos").asLong(), c.nanosUntil(due.get("operation").asLong()), 1000, due.toString());
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void asManyOperationsAreDueBeforeAnInstantAsItsCount(Case c) throws Exception {
        for (JsonNode count : c.root.get("counts")) {
            long nanos = Math.round(count.get("seconds").asDouble() * SECOND);
            long operations = firstFrom(count.get("operations").asDouble());
            assertTrue(operations == 0 || c.nanosUntil(operations - 1) < nanos, count.toString());
            assertTrue(c.nanosUntil(operations) >= nanos, count.toString());
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void noOperationIsDueAfterTheLastPiece(Case c) throws Exception {
        double[] counts = c.counts();
        long total = firstFrom(counts[counts.length - 1]);
        RateFunction rate = new RateFunction(c.rates());
        assertTrue(rate.nanosUntil(total - 1) < NEVER);
        assertEquals(NEVER, rate.nanosUntil(total));
        assertEquals(NEVER, rate.nanosUntil(total + 1));
    }

    @ParameterizedTest
    @MethodSource("small")
    void workersShareTheOperationsOfEachPiece(Case c) throws Exception {
        long[] alone = instantsOfAllWorkers(c, 1);
        assertArrayEquals(alone, LongStream.of(alone).sorted().toArray());
        double[] counts = c.counts();
        long from = 0;
        for (int i = 0; i < c.rates().size(); i++) {
            long start = from;
            long end = from += c.rates().get(i).seconds * SECOND;
            assertEquals(firstFrom(counts[i + 1]) - firstFrom(counts[i]), LongStream.of(alone).filter(at -> at >= start && at < end).count(),
                    "piece " + i);
        }
        assertArrayEquals(alone, instantsOfAllWorkers(c, 3));
        assertArrayEquals(alone, instantsOfAllWorkers(c, 7));
    }

    /** Returns the instant of each operation from the start of the load, by global index, after which the window lasts for a second. */
    private static long[] instantsOfAllWorkers(Case c, int workers) throws Exception {
        double[] counts = c.counts();
        long[] instants = new long[(int) firstFrom(counts[counts.length - 1])];
        int seconds = c.rates().stream().mapToInt(piece -> piece.seconds).sum();
        int drawn = 0;
        long planned = 0;
        for (int i = 0; i < workers; i++) {
            Worker worker = new Worker(i, workers);
            OpenLoop loop = new OpenLoop(new Timeline(SECOND, 0, Measures.of(0, seconds + 1, 0)), new FakeClock(), worker,
                    Arrivals.of(c.load(worker, ""), worker), Mix.SINGLE);
            for (Slot slot = loop.awaitNext(0); slot != null; slot = loop.awaitNext(0)) {
                instants[(int) slot.index] = slot.intended - SECOND;
                drawn++;
            }
            planned += loop.close()[0].planned();
        }
        assertEquals(instants.length, drawn);
        assertEquals(instants.length, planned);
        return instants;
    }

    /** The bounds are five standard deviations, and the distance that is exceeded with a probability of 1e-6. */
    @ParameterizedTest
    @MethodSource("small")
    void poissonArrivalsFollowTheRate(Case c) throws Exception {
        double[] counts = c.counts();
        double total = counts[counts.length - 1];
        long[] drawn = new long[c.rates().size()];
        List<Double> shares = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Worker worker = new Worker(i, 3);
            Arrivals arrivals = Arrivals.of(c.load(worker, "'arrivals':'Poisson','seed':7,"), worker);
            for (long at = arrivals.nextOffsetNanos(); at < NEVER; at = arrivals.nextOffsetNanos()) {
                shares.add(countArrival(c.rates(), counts, at / 1e9, drawn) / total);
            }
        }
        for (int i = 0; i < drawn.length; i++) {
            double expected = counts[i + 1] - counts[i];
            assertTrue(Math.abs(drawn[i] - expected) <= 5 * Math.sqrt(expected), drawn[i] + " in piece " + i);
        }
        shares.sort(null);
        double distance = 0;
        for (int i = 0; i < shares.size(); i++) {
            double index = i;
            distance = Math.max(distance, Math.max(shares.get(i) - index / shares.size(), (index + 1) / shares.size() - shares.get(i)));
        }
        assertTrue(distance < 2.7 / Math.sqrt(shares.size()), "Kolmogorov-Smirnov distance " + distance);
    }

    /** Counts an arrival in its piece and returns the cumulative count of the rate at its time. */
    private static double countArrival(List<RatePiece> rates, double[] counts, double seconds, long[] drawn) {
        int i = 0;
        double inPiece = seconds;
        for (; inPiece >= rates.get(i).seconds; i++) {
            inPiece -= rates.get(i).seconds;
        }
        drawn[i]++;
        RatePiece piece = rates.get(i);
        return counts[i] + inPiece * (piece.fromPerSecond + (piece.toPerSecond - piece.fromPerSecond) * inPiece / piece.seconds / 2);
    }

    /** The sum of the counts as doubles would be off by more than the tolerance. */
    @Test
    void manyPiecesKeepWholeCounts() throws Exception {
        String piece = "{'seconds':86,'fromPerSecond':1234.567,'toPerSecond':1234.567}";
        RateFunction rate = new RateFunction(Loads.open("'rates':" + Collections.nCopies(10_000, piece), new Worker(0, 1)).rates);

        assertTrue(rate.nanosUntil(530_863_809) < 430_000 * SECOND);
        assertEquals(430_000 * SECOND, rate.nanosUntil(530_863_810));
        assertTrue(rate.nanosUntil(1_061_727_619) < 860_000 * SECOND);
        assertEquals(NEVER, rate.nanosUntil(1_061_727_620));
    }
}
