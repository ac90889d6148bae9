/** The workload.json of a Corda network, typed and validated. Every error names the field. */
package dev.benchnet.driver.corda.workload;
