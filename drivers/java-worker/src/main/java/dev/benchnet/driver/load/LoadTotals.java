package dev.benchnet.driver.load;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the operations that have ended since the start of the load, the warm-up included. No count ever decreases.
 * Not thread-safe.
 */
public final class LoadTotals {
    /** The upper bounds of the buckets in microseconds. A further bucket counts all longer latencies. */
    static final long[] BUCKET_MICROS = {
        1_000, 1_800, 3_200, 5_600, 10_000, 18_000, 32_000, 56_000, 100_000, 180_000, 320_000, 560_000,
        1_000_000, 1_800_000, 3_200_000, 5_600_000, 10_000_000, 18_000_000, 32_000_000, 60_000_000,
    };
    static final int MAX_ERROR_KINDS = 20;
    private static final String OTHER_ERRORS = "Other";
    private static final int KIND_LENGTH = 200;

    private final long[] latencyCounts;
    private long latencySumMicros;
    private final Map<String, Long> errors;

    LoadTotals() {
        latencyCounts = new long[BUCKET_MICROS.length + 1];
        errors = new TreeMap<>();
    }

    private LoadTotals(LoadTotals other) {
        latencyCounts = other.latencyCounts.clone();
        latencySumMicros = other.latencySumMicros;
        errors = new TreeMap<>(other.errors);
    }

    void addCompletion(long micros) {
        int bucket = 0;
        while (bucket < BUCKET_MICROS.length && micros > BUCKET_MICROS[bucket]) {
            bucket++;
        }
        latencyCounts[bucket]++;
        latencySumMicros += micros;
    }

    void addFailure(String kind) {
        String key = kind.length() <= KIND_LENGTH ? kind : kind.substring(0, KIND_LENGTH);
        boolean counted = errors.containsKey(key) || errors.size() < MAX_ERROR_KINDS;
        errors.merge(counted ? key : OTHER_ERRORS, 1L, Long::sum);
    }

    LoadTotals copy() {
        return new LoadTotals(this);
    }

    /** Returns the number of successes in each bucket. */
    public long[] latencyCounts() {
        return latencyCounts.clone();
    }

    public long latencySumMicros() {
        return latencySumMicros;
    }

    /** Returns the number of failures by kind. */
    public Map<String, Long> errors() {
        return new TreeMap<>(errors);
    }
}
