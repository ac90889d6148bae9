package dev.benchnet.driver.workload;

import dev.benchnet.driver.FatalException;
import java.util.Map;

/** The index of this process among the workers. */
public final class Worker {
    /** From 0. */
    public final int index;
    public final int count;

    public Worker(int index, int count) {
        if (count < 1 || index < 0 || index >= count) {
            throw new FatalException("BENCHNET_WORKER: " + index + " is not a worker of BENCHNET_WORKERS=" + count);
        }
        this.index = index;
        this.count = count;
    }

    public static Worker fromEnvironment(Map<String, String> environment) {
        return new Worker(readInteger(environment, "BENCHNET_WORKER", "0"), readInteger(environment, "BENCHNET_WORKERS", "1"));
    }

    /**
     * Returns this worker's part of a total. The parts of all workers add up to the total and differ by at most one.
     */
    public int shareOf(int total) {
        return total / count + (index < total % count ? 1 : 0);
    }

    /** Returns the global index of this worker's n-th item. Workers take turns. */
    public long globalIndex(long n) {
        return n * count + index;
    }

    private static int readInteger(Map<String, String> environment, String name, String otherwise) {
        String value = environment.getOrDefault(name, otherwise);
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new FatalException(name + ": must be a whole number, but is \"" + value + "\"");
        }
    }
}
