package dev.benchnet.driver.jpaxos;

/** One client's connection to the replicas, with one request at a time. JPaxos retries lost connections without end. */
interface Connection {
    /** Blocks until a replica has accepted the connection. */
    void connect() throws Throwable;

    /** Blocks until the request is decided and executed; returns the reply. */
    byte[] execute(byte[] request) throws Throwable;
}
