package dev.benchnet.driver.jpaxos;

/** The replicated service from the clients' point of view. */
interface Replicas {
    /** Returns a new, unconnected connection for one client. */
    Connection newConnection() throws Throwable;
}
