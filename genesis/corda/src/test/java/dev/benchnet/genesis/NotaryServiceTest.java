package dev.benchnet.genesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.corda.core.crypto.CompositeKey;
import net.corda.core.crypto.Crypto;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.Party;
import net.corda.core.node.NodeInfo;
import net.corda.core.node.NotaryInfo;
import net.corda.core.utilities.NetworkHostAndPort;
import net.corda.nodeapi.internal.SignedNodeInfo;
import net.corda.nodeapi.internal.crypto.X509Utilities;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Generates a network of one bank and four replicas of a notary service, and reads it as its members would. */
class NotaryServiceTest {
    private static final String KEY_PASSWORD = "cordacadevpass";
    private static final String TRUST_PASSWORD = "trustpass";
    private static final String ALIAS = X509Utilities.DISTRIBUTED_NOTARY_KEY_ALIAS;
    private static final List<String> REPLICAS = Arrays.asList("notary-0", "notary-1", "notary-2", "notary-3");

    @TempDir
    static Path folder;
    @TempDir
    static Path compositeFolder;

    private static Network network;
    /** The same network, with a composite key of the service. */
    private static Network composite;

    @BeforeAll
    static void make() throws Exception {
        network = make(folder, false);
        composite = make(compositeFolder, true);
    }

    private static Network make(Path folder, boolean composite) throws Exception {
        List<NetworkSpec.Member> members = Arrays.asList(member("bank"), member("notary-0"), member("notary-1"), member("notary-2"), member("notary-3"));
        NetworkSpec.Notary notary = new NetworkSpec.Notary(REPLICAS, Optional.of(CordaX500Name.parse("O=Notary,L=London,C=GB")), composite, true);
        NetworkSpec spec = new NetworkSpec(12, 12, 1_000_000, 2_000_000, Duration.ofDays(5), members,
                Collections.singletonList(notary), Optional.empty());
        OutputFolder.write(folder, Genesis.generateFiles(spec, StorePasswords.from(Collections.emptyMap()), Instant.now()));
        return new Network(folder);
    }

    @Test
    void theParametersNameTheService() throws Exception {
        List<NotaryInfo> notaries = network.parameters().verified().getNotaries();
        assertEquals(1, notaries.size());
        assertEquals("O=Notary, L=London, C=GB", notaries.get(0).getIdentity().getName().toString());
        assertEquals(serviceOf(network, "notary-0"), notaries.get(0).getIdentity());
    }

    @Test
    void everyReplicaHasItsOwnIdentityAndThatOfTheService() throws Exception {
        TrustAnchor anchor = new TrustAnchor(network.root("bank", TRUST_PASSWORD), null);
        Map<String, NodeInfo> infos = nodeInfos(network);
        for (String replica : REPLICAS) {
            NodeInfo info = infos.get(replica);
            assertEquals(2, info.getLegalIdentities().size());
            assertEquals(replica, info.getLegalIdentities().get(0).getName().getOrganisation());
            assertEquals(serviceOf(network, "notary-0"), serviceOf(network, replica));
            info.getLegalIdentitiesAndCerts().get(1).verify(anchor);
        }
        assertNotEquals(infos.get("notary-0").getLegalIdentities().get(0).getOwningKey(), infos.get("notary-1").getLegalIdentities().get(0).getOwningKey());
        assertEquals(1, infos.get("bank").getLegalIdentities().size());
    }

    @Test
    void everyReplicaHoldsTheKeyOfTheService() throws Exception {
        Key key = keyOf(network, "notary-0");
        for (String replica : REPLICAS) {
            KeyStore store = network.store(replica, "nodekeystore.jks", KEY_PASSWORD);
            assertEquals(key, keyOf(network, replica));
            Certificate[] chain = store.getCertificateChain(ALIAS);
            assertEquals(3, chain.length);
            X509Utilities.INSTANCE.validateCertificateChain(
                    Collections.singleton(network.root("bank", TRUST_PASSWORD)), Arrays.copyOf(chain, 3, X509Certificate[].class));
        }
        assertFalse(network.store("bank", "nodekeystore.jks", KEY_PASSWORD).containsAlias(ALIAS));
    }

    @Test
    void aCompositeKeyNeedsMoreThanTwoThirdsOfTheReplicas() throws Exception {
        Party service = composite.parameters().verified().getNotaries().get(0).getIdentity();
        CompositeKey key = (CompositeKey) service.getOwningKey();
        assertEquals(3, key.getThreshold());
        Set<PublicKey> parts = new HashSet<>();
        for (String replica : REPLICAS) {
            assertEquals(service, serviceOf(composite, replica));
            KeyStore store = composite.store(replica, "nodekeystore.jks", KEY_PASSWORD);
            PublicKey part = Crypto.toSupportedPublicKey(store.getCertificate(ALIAS).getPublicKey());
            byte[] text = replica.getBytes();
            assertTrue(Crypto.isValid(part, Crypto.doSign(Crypto.toSupportedPrivateKey((PrivateKey) keyOf(composite, replica)), text), text));
            parts.add(part);
            PublicKey whole = store.getCertificate(X509Utilities.DISTRIBUTED_NOTARY_COMPOSITE_KEY_ALIAS).getPublicKey();
            assertEquals(key, Crypto.toSupportedPublicKey(whole));
        }
        assertEquals(key.getLeafKeys(), parts);
        assertEquals(REPLICAS.size(), parts.size());
    }

    private static Key keyOf(Network network, String replica) throws Exception {
        return network.store(replica, "nodekeystore.jks", KEY_PASSWORD).getKey(ALIAS, KEY_PASSWORD.toCharArray());
    }

    private static Party serviceOf(Network network, String replica) throws Exception {
        return nodeInfos(network).get(replica).getLegalIdentities().get(1);
    }

    private static Map<String, NodeInfo> nodeInfos(Network network) throws Exception {
        Map<String, NodeInfo> byName = new HashMap<>();
        for (SignedNodeInfo signed : network.nodeInfos()) {
            NodeInfo info = signed.verified();
            byName.put(info.getLegalIdentities().get(0).getName().getOrganisation(), info);
        }
        return byName;
    }

    private static NetworkSpec.Member member(String name) {
        return new NetworkSpec.Member(name, new CordaX500Name(name, "London", "GB"), new NetworkHostAndPort(name + ".svc", 10200));
    }
}
