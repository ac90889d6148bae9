/** Timing and recording: when an operation may start, and how its outcome is counted. Independent of the platform. */
package dev.benchnet.driver.load;
