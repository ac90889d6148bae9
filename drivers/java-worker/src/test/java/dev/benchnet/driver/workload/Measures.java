package dev.benchnet.driver.workload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** Creates measures for tests. */
public final class Measures {
    private Measures() { }

    public static Measure of(int warmUp, int window, int drain) {
        return of(warmUp, window, drain, 0);
    }

    public static Measure of(int warmUp, int window, int drain, int interval) {
        return of(warmUp, window, drain, interval, false);
    }

    /** Returns a measure without warm-up whose window the file stop may end early. */
    public static Measure stoppingEarly(int window, int drain, int interval) {
        return of(0, window, drain, interval, true);
    }

    private static Measure of(int warmUp, int window, int drain, int interval, boolean stopsEarly) {
        return new Measure(new Field("measure", JsonNodeFactory.instance.objectNode()
                .put("warmUpSeconds", warmUp).put("windowSeconds", window).put("drainSeconds", drain)
                .put("intervalSeconds", interval).put("stopsEarly", stopsEarly)));
    }
}
