package dev.benchnet.driver.load;

import java.util.Map;
import java.util.TreeMap;

/** Counts errors by kind, with the first message of each. Not thread-safe. */
final class ErrorCounts {
    static final class Entry {
        long count;
        final String example;

        private Entry(String example) {
            this.example = example;
        }
    }

    private static final int EXAMPLE_LENGTH = 200;

    private final Map<String, Entry> entries = new TreeMap<>();

    void add(String kind, String message, long count) {
        entries.computeIfAbsent(kind, k -> new Entry(truncateLine(message))).count += count;
    }

    Map<String, Entry> entries() {
        return entries;
    }

    private static String truncateLine(String message) {
        String line = message == null ? "" : message.replaceAll("\\s+", " ").trim();
        return line.length() <= EXAMPLE_LENGTH ? line : line.substring(0, EXAMPLE_LENGTH);
    }
}
