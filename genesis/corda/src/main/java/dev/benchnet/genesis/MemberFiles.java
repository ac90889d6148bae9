package dev.benchnet.genesis;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import net.corda.core.crypto.Crypto;
import net.corda.core.crypto.DigitalSignature;
import net.corda.core.crypto.SecureHash;
import net.corda.core.identity.Party;
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

        MemberFiles create(NetworkSpec.Member member) throws GeneralSecurityException, IOException {
            Identity identity = new Identity(authority, member.legalName);
            String folder = FOLDER + member.name;
            Map<String, byte[]> files = new HashMap<>();
            files.put(folder + "/sslkeystore.jks", identity.sslKeyStore(passwords.keyStore));
            files.put(folder + "/nodekeystore.jks", identity.nodeKeyStore(passwords.keyStore));
            files.put(folder + "/truststore.jks", trustStore);
            files.put(nodeInfoFileName(member), PeerSerialization.serialize(signNodeInfo(member, identity)).getBytes());
            return new MemberFiles(member.name, identity.party().getParty(), files);
        }

        /**
         * Returns the signed node info. On its first start a node replaces it with its own, which has a newer serial.
         */
        private SignedNodeInfo signNodeInfo(NetworkSpec.Member member, Identity identity) throws GeneralSecurityException, IOException {
            NodeInfo info = new NodeInfo(Collections.singletonList(member.p2pAddress), Collections.singletonList(identity.party()),
                    platformVersion, now.toEpochMilli());
            SerializedBytes<NodeInfo> raw = PeerSerialization.serialize(info);
            byte[] signature = Crypto.doSign(identity.legalKey(), raw.getBytes());
            return new SignedNodeInfo(raw, Collections.singletonList(new DigitalSignature(signature)));
        }

        /** Returns the name that a node gives its own file too, so that the two files never coexist. */
        private static String nodeInfoFileName(NetworkSpec.Member member) throws IOException {
            return NODE_INFO_PREFIX + SecureHash.sha256(PeerSerialization.serialize(member.legalName).getBytes());
        }
    }
}
