/** The network under load: its members over RPC, the flows that can be started on them, and the check of their ledgers. */
package dev.benchnet.driver.corda;
