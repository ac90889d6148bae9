package dev.benchnet.driver.workload;

/** A part of an open loop in which the rate changes linearly. */
public final class RatePiece {
    public final int seconds;
    public final double fromPerSecond;
    public final double toPerSecond;

    RatePiece(Field field) {
        seconds = field.requireObject().get("seconds").readInteger(1);
        fromPerSecond = field.get("fromPerSecond").readNonNegative();
        toPerSecond = field.get("toPerSecond").readNonNegative();
    }
}
