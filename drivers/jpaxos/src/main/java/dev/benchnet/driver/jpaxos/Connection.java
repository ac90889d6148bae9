package dev.benchnet.driver.jpaxos;

/** One client's connection to the replicas, one request at a time. JPaxos hides lost connections: it tries on for ever. */
interface Connection {
    /** Blocks until some replica has accepted it. */
    void connect() throws Throwable;

    /** Blocks until the request is decided and executed; returns the reply. */
    byte[] execute(byte[] request) throws Throwable;
}
