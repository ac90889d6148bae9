/**
 * What every driver in Java is made of: the orders, the pacing of the load, the recording of what became of it, and the
 * files through which it talks. A driver adds the operation and the threads. Knows no platform.
 */
package dev.benchnet.driver;
