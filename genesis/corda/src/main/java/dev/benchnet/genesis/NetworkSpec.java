package dev.benchnet.genesis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.utilities.NetworkHostAndPort;

/** The validated specification of the network to generate. */
final class NetworkSpec {
    /** Platform version of the members' node software, as in their node infos (4.3 is 5, 4.10 is 12, 4.12 is 140). */
    final int platformVersion;
    final int minimumPlatformVersion;
    /** Bytes. */
    final int maxMessageSize;
    /** Bytes. */
    final int maxTransactionSize;
    final Duration eventHorizon;
    final List<Member> members;
    final List<Notary> notaries;
    /** Folder of CorDapp jars; the contracts of its unsigned jars are whitelisted. */
    final Optional<Path> cordapps;

    NetworkSpec(int platformVersion, int minimumPlatformVersion, int maxMessageSize, int maxTransactionSize,
                Duration eventHorizon, List<Member> members, List<Notary> notaries, Optional<Path> cordapps) {
        this.platformVersion = platformVersion;
        this.minimumPlatformVersion = minimumPlatformVersion;
        this.maxMessageSize = maxMessageSize;
        this.maxTransactionSize = maxTransactionSize;
        this.eventHorizon = eventHorizon;
        this.members = members;
        this.notaries = notaries;
        this.cordapps = cordapps;
    }

    /** One node of the network. */
    static final class Member {
        /** Unique, a DNS label; names the member's folder in the output. */
        final String name;
        final CordaX500Name legalName;
        /** The address at which other members reach this one. */
        final NetworkHostAndPort p2pAddress;

        Member(String name, CordaX500Name legalName, NetworkHostAndPort p2pAddress) {
            this.name = name;
            this.legalName = legalName;
            this.p2pAddress = p2pAddress;
        }
    }

    /** One notary service, of one member or of several that share the identity of the service. */
    static final class Notary {
        /** {@link Member#name} of each replica; not empty. */
        final List<String> members;
        /** Name of the identity that all replicas share. Without it, the only replica uses its own identity. */
        final Optional<CordaX500Name> serviceLegalName;
        /** Whether that identity has a composite key, of which each replica holds a part. */
        final boolean composite;
        final boolean validating;

        Notary(List<String> members, Optional<CordaX500Name> serviceLegalName, boolean composite, boolean validating) {
            this.members = members;
            this.serviceLegalName = serviceLegalName;
            this.composite = composite;
            this.validating = validating;
        }
    }
}
