package dev.benchnet.genesis;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.corda.core.crypto.Crypto;
import net.corda.core.crypto.DigitalSignature;
import net.corda.core.crypto.SecureHash;
import net.corda.core.identity.Party;
import net.corda.core.identity.PartyAndCertificate;
import net.corda.core.node.NodeInfo;
import net.corda.core.serialization.SerializedBytes;
import net.corda.nodeapi.internal.SignedNodeInfo;

/** The files of one member: its keystores and its signed node info; and the party that others know it by. */
final class MemberFiles {
    static final String FOLDER = "members/";
    static final String NODE_INFO_PREFIX = "network-map/nodeInfo-";

    final String name;
    final Party party;
    /** File contents by path relative to the output folder. */
    final Map<String, byte[]> files;

    private MemberFiles(String name, Party party, Map<String, byte[]> files) {
        this.name = name;
        this.party = party;
        this.files = files;
    }

    /** Generates members from the settings that all of them share. Thread-safe. */
    static final class Factory {
        private final Authority authority;
        private final StorePasswords passwords;
        private final int platformVersion;
        private final Instant now;
        private final byte[] trustStore;

        Factory(Authority authority, StorePasswords passwords, int platformVersion, Instant now)
                throws GeneralSecurityException, IOException {
            this.authority = authority;
            this.passwords = passwords;
            this.platformVersion = platformVersion;
            this.now = now;
            this.trustStore = Identity.trustStore(authority.root(), passwords.trustStore);
        }

        /** Generates a member. It signs for the service too if it is a replica of one. */
        MemberFiles create(NetworkSpec.Member member, Optional<ServiceIdentity> service) throws GeneralSecurityException, IOException {
            Identity identity = new Identity(authority, member.legalName);
            String folder = FOLDER + member.name;
            Map<String, byte[]> files = new HashMap<>();
            files.put(folder + "/sslkeystore.jks", identity.sslKeyStore(passwords.keyStore));
            files.put(folder + "/nodekeystore.jks", identity.nodeKeyStore(service, passwords.keyStore));
            files.put(folder + "/truststore.jks", trustStore);
            files.put(nodeInfoFileName(member), PeerSerialization.serialize(signNodeInfo(member, identity, service)).getBytes());
            return new MemberFiles(member.name, identity.party().getParty(), files);
        }

        /**
         * Returns the signed node info. On its first start a node replaces it with its own, which has a newer serial.
         */
        private SignedNodeInfo signNodeInfo(NetworkSpec.Member member, Identity identity, Optional<ServiceIdentity> service)
                throws GeneralSecurityException, IOException {
            List<PartyAndCertificate> identities = new ArrayList<>(Collections.singletonList(identity.party()));
            List<PrivateKey> keys = new ArrayList<>(Collections.singletonList(identity.legalKey()));
            service.ifPresent(s -> {
                identities.add(s.party());
                // Corda expects no signature of a composite key.
                if (!s.compositeCertificate().isPresent()) {
                    keys.add(s.key());
                }
            });
            SerializedBytes<NodeInfo> raw = PeerSerialization.serialize(new NodeInfo(
                    Collections.singletonList(member.p2pAddress), identities, platformVersion, now.toEpochMilli()));
            List<DigitalSignature> signatures = new ArrayList<>();
            for (PrivateKey key : keys) {
                signatures.add(new DigitalSignature(Crypto.doSign(key, raw.getBytes())));
            }
            return new SignedNodeInfo(raw, signatures);
        }

        /** Returns the name that a node gives its own file too, so that the two files never coexist. */
        private static String nodeInfoFileName(NetworkSpec.Member member) throws IOException {
            return NODE_INFO_PREFIX + SecureHash.sha256(PeerSerialization.serialize(member.legalName).getBytes());
        }
    }
}
