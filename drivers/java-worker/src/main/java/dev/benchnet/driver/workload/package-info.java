/** The part of workload.json that all drivers share, typed and validated. Every error names the field. */
package dev.benchnet.driver.workload;
