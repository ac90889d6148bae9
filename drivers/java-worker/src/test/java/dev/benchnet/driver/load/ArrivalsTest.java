package dev.benchnet.driver.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.benchnet.driver.workload.Loads;
import dev.benchnet.driver.workload.Worker;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private static final int COUNT = 100_000;

    /** The bounds are five standard errors. */
    @Test
    void poissonDistancesAreExponentialWithTheShareOfTheRate() {
        Arrivals arrivals = Arrivals.poisson(200, 7, new Worker(1, 2));
        double last = 0;
        double squares = 0;
        double beforeMean = 0;
        for (int i = 0; i < COUNT; i++) {
            double offset = arrivals.nextOffsetNanos() / 1e9;
            double distance = offset - last;
            squares += distance * distance;
            beforeMean += distance < 0.01 ? 1 : 0;
            last = offset;
        }
        assertEquals(0.01, last / COUNT, 0.01 * 5 / Math.sqrt(COUNT));
        assertEquals(2e-4, squares / COUNT, 2e-4 * 5 * Math.sqrt(5.0 / COUNT), "twice the squared mean");
        assertEquals(1 - Math.exp(-1), beforeMean / COUNT, 5 * 0.4823 / Math.sqrt(COUNT));
    }

    @Test
    void theSeedRepeatsTheArrivalsAndWorkersDiffer() {
        Arrivals first = Arrivals.poisson(100, 7, new Worker(0, 2));
        Arrivals same = Arrivals.poisson(100, 7, new Worker(0, 2));
        Arrivals other = Arrivals.poisson(100, 7, new Worker(1, 2));
        for (int i = 0; i < 100; i++) {
            long offset = first.nextOffsetNanos();
            assertEquals(offset, same.nextOffsetNanos());
            assertNotEquals(offset, other.nextOffsetNanos());
        }
    }

    @Test
    void aConstantRateIsAPeriod() throws Exception {
        Worker worker = new Worker(1, 3);
        Arrivals arrivals = Arrivals.of(Loads.open("'ratePerSecond':33.3", worker), worker);
        for (long index = 1; index < COUNT; index += 3) {
            assertEquals(Math.round(index * (1e9 / 33.3)), arrivals.nextOffsetNanos());
        }
    }

    /** Equal seeds repeat the arrivals of earlier versions. */
    @Test
    void aConstantRateSumsUpExponentialDistances() throws Exception {
        Worker worker = new Worker(1, 3);
        Arrivals arrivals = Arrivals.of(Loads.open("'ratePerSecond':33.3,'arrivals':'Poisson','seed':7", worker), worker);
        SplittableRandom seeds = new SplittableRandom(7);
        seeds.split();
        SplittableRandom random = seeds.split();
        double offsetNanos = 0;
        for (int i = 0; i < COUNT; i++) {
            offsetNanos -= 1e9 * 3 / 33.3 * Math.log1p(-random.nextDouble());
            assertEquals(Math.round(offsetNanos), arrivals.nextOffsetNanos());
        }
    }
}
