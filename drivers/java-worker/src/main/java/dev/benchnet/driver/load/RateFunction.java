package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.RatePiece;
import java.math.BigDecimal;
import java.util.List;

/** Maps the cumulative count of operations to time, for a rate that consists of linear pieces. Not thread-safe. */
final class RateFunction {
    /** A count this close to that of a border lies on it, so that rounding moves no operation to the piece before. */
    private static final double TOLERANCE = 1e-6;

    private final List<RatePiece> pieces;
    /** The cumulative count at the start of each piece and, as the last element, the total. */
    private final double[] counts;
    /** The index of the piece of the last count, and its start. */
    private int current;
    private long startSeconds;

    RateFunction(List<RatePiece> pieces) {
        this.pieces = pieces;
        counts = new double[pieces.size() + 1];
        BigDecimal twice = BigDecimal.ZERO; // Exact, so that whole counts stay whole after any number of pieces.
        for (int i = 0; i < pieces.size(); i++) {
            RatePiece piece = pieces.get(i);
            BigDecimal rates = BigDecimal.valueOf(piece.fromPerSecond).add(BigDecimal.valueOf(piece.toPerSecond));
            twice = twice.add(rates.multiply(BigDecimal.valueOf(piece.seconds)));
            counts[i + 1] = twice.doubleValue() / 2;
        }
    }

    /**
     * Returns the nanoseconds from the start of the load until the cumulative count exceeds a count, or Long.MAX_VALUE
     * if it never does. A count that is reached at the start of a pause is exceeded at its end. No count may be less
     * than that of the call before.
     */
    long nanosUntil(double count) {
        while (current < pieces.size() && count >= counts[current + 1] - TOLERANCE) {
            startSeconds += pieces.get(current++).seconds;
        }
        if (current == pieces.size()) {
            return Long.MAX_VALUE;
        }
        return Math.round(1e9 * (startSeconds + secondsFor(Math.max(0, count - counts[current]))));
    }

    /**
     * Returns the time from the start of the current piece in which it produces a count. This form of the root of a
     * quadratic equation keeps its precision if the rate is nearly constant.
     */
    private double secondsFor(double count) {
        RatePiece piece = pieces.get(current);
        double rate = piece.fromPerSecond;
        double slope = (piece.toPerSecond - rate) / piece.seconds;
        return count == 0 ? 0 : 2 * count / (rate + Math.sqrt(Math.max(0, rate * rate + 2 * slope * count)));
    }
}
