/**
 * Generates the genesis material of a whole Corda network in one JVM: keys and certificates of every member under the
 * network's own certificate authority, signed node infos, and signed network parameters.
 *
 * <p>{@link dev.benchnet.genesis.SpecReader} turns {@code genesis.json} into a validated
 * {@link dev.benchnet.genesis.NetworkSpec}; {@link dev.benchnet.genesis.Genesis} generates the files in memory;
 * {@link dev.benchnet.genesis.OutputFolder} writes them. The authority's private keys exist only in memory.
 */
package dev.benchnet.genesis;
