package dev.benchnet.driver.workload;

/** The length of each phase, in seconds. */
public final class Measure {
    public final int warmUpSeconds;
    public final int windowSeconds;
    public final int drainSeconds;
    /**
     * The length of an interval of the window, which the file stop may then end early. 0: no intervals and no early
     * stop.
     */
    public final int intervalSeconds;

    Measure(Field field) {
        warmUpSeconds = field.requireObject().get("warmUpSeconds").readInteger(0);
        windowSeconds = field.get("windowSeconds").readInteger(1);
        drainSeconds = field.get("drainSeconds").readInteger(0);
        intervalSeconds = field.get("intervalSeconds").isAbsent() ? 0 : field.get("intervalSeconds").readInteger(0);
        if (intervalSeconds > 0 && windowSeconds % intervalSeconds != 0) {
            throw field.get("intervalSeconds").invalid("must divide the window of " + windowSeconds + " s");
        }
    }
}
