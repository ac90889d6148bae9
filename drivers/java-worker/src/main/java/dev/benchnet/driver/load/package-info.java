/** Time and counting: when an operation may start, and what is recorded of it. Knows no platform. */
package dev.benchnet.driver.load;
