package dev.benchnet.driver.workload;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The order of the kinds of operations of a workload, in blocks. Each block has every kind as often as its weight, divided
 * by the greatest common divisor of all weights, in an order that depends only on the seed and the index of the block.
 * Thread-safe.
 */
public final class Mix {
    /** One kind without a name. */
    public static final Mix SINGLE = new Mix(Collections.emptyList(), Collections.singletonList(1), 0);

    private static final int MAX_WEIGHT = 10_000;

    /** The names of the kinds; empty without a mix. Kinds are indexes into it. */
    public final List<String> names;
    /** How often a block has each kind. */
    private final int[] counts;
    private final long seed;
    private final int[] block;
    /** The index of the block that {@link #block} holds. */
    private long current = -1;

    Mix(List<String> names, List<Integer> weights, long seed) {
        int divisor = weights.stream().reduce(0, Mix::greatestCommonDivisor);
        this.names = names;
        this.seed = seed;
        counts = weights.stream().mapToInt(weight -> weight / divisor).toArray();
        block = new int[Arrays.stream(counts).sum()];
    }

    /** Reads the names and weights of a list of kinds, which may be absent. */
    static Mix read(Field kinds, long seed) {
        List<String> names = kinds.readList(kind -> kind.requireObject().get("name").readText());
        return names.isEmpty() ? SINGLE
                : new Mix(names, kinds.readList(kind -> (int) kind.get("weight").readInteger(1, MAX_WEIGHT)), seed);
    }

    private static int greatestCommonDivisor(int a, int b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    /** Returns the kind of the operation at a place among those of all workers, from 0. */
    public synchronized int kindAt(long place) {
        if (names.isEmpty()) {
            return 0;
        }
        long index = place / block.length;
        if (index != current) {
            fillBlock(index);
            current = index;
        }
        return block[(int) (place % block.length)];
    }

    /** Returns the kind of a worker's n-th operation if workers take turns in performing whole blocks. */
    public int kindOf(Worker worker, long n) {
        return kindAt(worker.globalIndex(n / block.length) * block.length + n % block.length);
    }

    /** Returns a kind's share of a number of operations, rounded up. */
    public int shareOf(int kind, int operations) {
        return (int) (((long) operations * counts[kind] + block.length - 1) / block.length);
    }

    /** Fills the block by the algorithm of Fisher and Yates. All versions of Java draw the same numbers. */
    private void fillBlock(long index) {
        int end = 0;
        for (int kind = 0; kind < counts.length; kind++) {
            Arrays.fill(block, end, end + counts[kind], kind);
            end += counts[kind];
        }
        SplittableRandom random = new SplittableRandom(new SplittableRandom(seed).nextLong() + index);
        for (int i = block.length - 1; i > 0; i--) {
            int other = (int) Long.remainderUnsigned(random.nextLong(), i + 1);
            int kind = block[i];
            block[i] = block[other];
            block[other] = kind;
        }
    }
}
