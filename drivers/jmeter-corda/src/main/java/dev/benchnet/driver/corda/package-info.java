/** The network under load: its members over RPC, the flows to start on them, and the check of their ledgers. */
package dev.benchnet.driver.corda;
