/** What is to be done on a Corda network: workload.json, typed and validated. Every error names the field. */
package dev.benchnet.driver.corda.workload;
