/**
 * The common parts of every driver in Java: the workload, the pacing of the load, the recording of results, and the
 * files of the driver protocol. A driver adds the operation and the threads. Independent of the platform.
 */
package dev.benchnet.driver;
