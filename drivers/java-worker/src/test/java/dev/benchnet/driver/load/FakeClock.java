package dev.benchnet.driver.load;

import java.util.ArrayList;
import java.util.List;

/** A clock that advances only when a thread sleeps or the test advances it. */
public class FakeClock implements Clock {
    public static final long SECOND = 1_000_000_000L;
    public static final long EPOCH_MILLIS = 1_700_000_000_000L;

    private long nanos;
    private long wallClockStepMillis;
    final List<Long> sleeps = new ArrayList<>();

    public void advance(double seconds) {
        nanos += Math.round(seconds * SECOND);
    }

    /** Steps the wall clock, as NTP does, without any time passing. */
    void stepWallClock(long millis) {
        wallClockStepMillis += millis;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long epochMillis() {
        return EPOCH_MILLIS + wallClockStepMillis + nanos / 1_000_000L;
    }

    @Override
    public void sleepUntil(long until) {
        sleeps.add(until);
        nanos = Math.max(nanos, until);
    }
}
