package dev.benchnet.driver.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.benchnet.driver.FatalException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkerTest {
    @Test
    void sharesAddUpToTheTotal() {
        for (int workers = 1; workers < 8; workers++) {
            for (int total = workers; total < 30; total++) {
                int sum = 0;
                for (int i = 0; i < workers; i++) {
                    sum += new Worker(i, workers).shareOf(total);
                }
                assertEquals(total, sum, total + " over " + workers);
            }
        }
    }

    @Test
    void globalIndexesAreUnique() {
        Set<Long> positions = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            for (int n = 0; n < 4; n++) {
                positions.add(new Worker(i, 3).globalIndex(n));
            }
        }
        assertEquals(12, positions.size());
        assertEquals(11, Collections.max(positions));
    }

    @Test
    void refusesAnIndexOutOfRange() {
        assertThrows(FatalException.class, () -> new Worker(2, 2));
        FatalException error = assertThrows(FatalException.class,
                () -> Worker.fromEnvironment(Collections.singletonMap("BENCHNET_WORKER", "one")));
        assertEquals("BENCHNET_WORKER: must be a whole number, but is \"one\"", error.getMessage());
    }
}
