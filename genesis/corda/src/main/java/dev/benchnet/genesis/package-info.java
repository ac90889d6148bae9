/**
 * Makes the material of a whole Corda network in one JVM: keys and certificates of every member under a certificate
 * authority of the network's own, signed node infos, and signed network parameters.
 *
 * <p>The way of the data: {@link dev.benchnet.genesis.SpecReader} turns {@code genesis.json} into a checked
 * {@link dev.benchnet.genesis.NetworkSpec}; {@link dev.benchnet.genesis.Genesis} makes the files in memory;
 * {@link dev.benchnet.genesis.Output} writes them. The authority's private keys live in memory alone.
 */
package dev.benchnet.genesis;
