package dev.benchnet.driver.workload;

/** The length of each phase, in seconds. */
public final class Measure {
    public final int warmUpSeconds;
    public final int windowSeconds;
    public final int drainSeconds;
    /** The length of an interval of the window. 0: it is not divided. */
    public final int intervalSeconds;
    /** The file stop may end the window at the end of an interval. */
    public final boolean stopsEarly;

    Measure(Field field) {
        warmUpSeconds = field.requireObject().get("warmUpSeconds").readInteger(0);
        windowSeconds = field.get("windowSeconds").readInteger(1);
        drainSeconds = field.get("drainSeconds").readInteger(0);
        intervalSeconds = field.get("intervalSeconds").isAbsent() ? 0 : field.get("intervalSeconds").readInteger(0);
        if (intervalSeconds > 0 && windowSeconds % intervalSeconds != 0) {
            throw field.get("intervalSeconds").invalid("must divide the window of " + windowSeconds + " s");
        }
        stopsEarly = field.get("stopsEarly").readBoolean();
        if (stopsEarly && intervalSeconds == 0) {
            throw field.get("stopsEarly").invalid("requires intervalSeconds");
        }
    }
}
