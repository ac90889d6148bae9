package dev.benchnet.driver.workload;

/** How long each phase lasts, in seconds. */
public final class Measure {
    public final int warmUpSeconds;
    public final int windowSeconds;
    public final int drainSeconds;

    Measure(Field field) {
        warmUpSeconds = field.object().get("warmUpSeconds").integer(0);
        windowSeconds = field.get("windowSeconds").integer(1);
        drainSeconds = field.get("drainSeconds").integer(0);
    }
}
