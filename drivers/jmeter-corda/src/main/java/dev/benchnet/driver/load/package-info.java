/** Time and counting: when a flow may start, and what is recorded of it. Knows nothing of Corda or JMeter. */
package dev.benchnet.driver.load;
