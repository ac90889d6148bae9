/** The files that a worker and its pod's agent exchange. */
package dev.benchnet.driver.protocol;
