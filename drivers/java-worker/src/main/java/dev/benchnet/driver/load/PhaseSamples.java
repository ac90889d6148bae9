package dev.benchnet.driver.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The durations of the phases of operations of the window. Of more than {@link #MAX_OPERATIONS} operations it keeps a
 * random sample (reservoir sampling). Not thread-safe.
 */
public final class PhaseSamples {
    static final int MAX_OPERATIONS = 1000;
    static final int MAX_PHASES = 24;
    private static final String OTHER_PHASES = "Other";
    private static final int NAME_LENGTH = 80;

    private final Map<String, Integer> columns = new LinkedHashMap<>();
    private final List<long[]> operations = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom();
    private long added;

    /** Adds an operation that was planned in a second of the window. */
    void add(int second, Map<String, Long> nanosByPhase) {
        long[] row = new long[1 + MAX_PHASES];
        row[0] = second;
        nanosByPhase.forEach((phase, nanos) -> row[1 + columnOf(phase)] += Math.max(1, TimeUnit.NANOSECONDS.toMicros(nanos)));
        added++;
        if (operations.size() < MAX_OPERATIONS) {
            operations.add(row);
            return;
        }
        long position = random.nextLong(added);
        if (position < MAX_OPERATIONS) {
            operations.set((int) position, row);
        }
    }

    private int columnOf(String phase) {
        String name = phase.length() <= NAME_LENGTH ? phase : phase.substring(0, NAME_LENGTH);
        if (!columns.containsKey(name) && columns.size() >= MAX_PHASES - 1) {
            name = OTHER_PHASES;
        }
        return columns.computeIfAbsent(name, n -> columns.size());
    }

    /** Returns the names of the phases in the order in which they first occurred. */
    public List<String> names() {
        return new ArrayList<>(columns.keySet());
    }

    /**
     * Returns a row for each operation: the second of the window, and the microseconds of each phase in the order of
     * {@link #names()}. 0 means that the operation did not have the phase.
     */
    public List<long[]> operations() {
        List<long[]> rows = new ArrayList<>();
        operations.forEach(row -> rows.add(Arrays.copyOf(row, 1 + columns.size())));
        return rows;
    }
}
