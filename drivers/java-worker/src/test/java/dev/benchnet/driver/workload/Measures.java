package dev.benchnet.driver.workload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** Creates measures for tests. */
public final class Measures {
    private Measures() { }

    public static Measure of(int warmUp, int window, int drain) {
        return of(warmUp, window, drain, 0);
    }

    public static Measure of(int warmUp, int window, int drain, int interval) {
        return new Measure(new Field("measure", JsonNodeFactory.instance.objectNode()
                .put("warmUpSeconds", warmUp).put("windowSeconds", window).put("drainSeconds", drain)
                .put("intervalSeconds", interval)));
    }
}
