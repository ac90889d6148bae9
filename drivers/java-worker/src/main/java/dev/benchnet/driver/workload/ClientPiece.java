package dev.benchnet.driver.workload;

/** A part of a closed loop in which the number of clients changes linearly. */
public final class ClientPiece {
    public final int seconds;
    public final int from;
    public final int to;

    ClientPiece(Field field) {
        seconds = field.requireObject().get("seconds").readInteger(1);
        from = field.get("from").readInteger(0);
        to = field.get("to").readInteger(0);
    }
}
