/**
 * The load driver for JPaxos: clients in a closed or an open loop, each with one connection to the replicas, through the
 * client library of the JPaxos under test. {@link dev.benchnet.driver.jpaxos.Drive} is the program.
 */
package dev.benchnet.driver.jpaxos;
