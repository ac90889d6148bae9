/**
 * The load driver for Corda: applies one workload to a network over RPC with JMeter's threads, measures it at the
 * client and checks it against the ledger. {@link dev.benchnet.driver.Drive} is the program.
 */
package dev.benchnet.driver;
