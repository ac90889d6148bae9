/** What is to be done: workload.json, typed and validated. Every error names the field. */
package dev.benchnet.driver.workload;
