package dev.benchnet.driver.jpaxos;

/** The replicated service, as its clients see it. */
interface Replicas {
    /** A connection of its own for each client; it is not connected yet. */
    Connection client() throws Throwable;
}
