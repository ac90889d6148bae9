/** JMeter as the engine: it owns the threads and writes the JTL. */
package dev.benchnet.driver.jmeter;
