/** The files through which a worker and its pod's agent talk. */
package dev.benchnet.driver.protocol;
