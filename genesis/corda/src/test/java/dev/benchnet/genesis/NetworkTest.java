package dev.benchnet.genesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.UnrecoverableKeyException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import net.corda.core.crypto.Crypto;
import net.corda.core.crypto.SecureHash;
import net.corda.core.node.NetworkParameters;
import net.corda.core.node.NodeInfo;
import net.corda.core.node.NotaryInfo;
import net.corda.nodeapi.internal.SignedNodeInfo;
import net.corda.nodeapi.internal.crypto.CertificateType;
import net.corda.nodeapi.internal.crypto.X509Utilities;
import net.corda.nodeapi.internal.network.NetworkMapKt;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Generates a network of two banks and two notaries on the command line, and reads it as its members would. */
class NetworkTest {
    private static final String KEY_PASSWORD = "key store password";
    private static final String TRUST_PASSWORD = "trust store password";
    private static final List<String> MEMBERS = Arrays.asList("bank-0", "bank-1", "notary", "validator");

    @TempDir
    static Path folder;

    private static Network network;

    @BeforeAll
    static void make() throws Exception {
        Path cordapps = Files.createDirectory(folder.resolve("cordapps"));
        Finance.writeUnsigned(cordapps.resolve("unsigned.jar"));
        Files.copy(Finance.signedJar(), cordapps.resolve("signed.jar"));
        network = make(folder.resolve("out"), spec(MEMBERS, cordapps));
    }

    @Test
    void writesTheAgreedFilesAndNoOthers() throws Exception {
        Set<String> expected = new HashSet<>(Collections.singleton("network-map/network-parameters"));
        for (SignedNodeInfo info : network.nodeInfos()) {
            expected.add("network-map/nodeInfo-" + SecureHash.sha256(PeerSerialization.serialize(info.verified().getLegalIdentities().get(0).getName()).getBytes()));
        }
        for (String member : MEMBERS) {
            for (String store : Arrays.asList("sslkeystore.jks", "nodekeystore.jks", "truststore.jks")) {
                expected.add("members/" + member + "/" + store);
            }
        }
        assertEquals(1 + 4 + 4 * 3, expected.size());
        assertEquals(expected, new HashSet<>(network.files()));
    }

    /** The network bootstrapper of Corda 4.8 gives this file the same name. */
    @Test
    void namesNodeInfosAsCordaDoes() throws Exception {
        assertTrue(network.files().contains("network-map/nodeInfo-777DA369F066FE34BEDE3E6334A1006A4026A02DD76AFA798204BD015C9965DE"));
    }

    @Test
    void everyChainLeadsToTheRootThatAllTrust() throws Exception {
        X509Certificate root = network.root("bank-0", TRUST_PASSWORD);
        for (String member : MEMBERS) {
            assertEquals(root, network.root(member, TRUST_PASSWORD));
            KeyStore ssl = network.store(member, "sslkeystore.jks", KEY_PASSWORD);
            KeyStore node = network.store(member, "nodekeystore.jks", KEY_PASSWORD);
            assertChain(ssl, X509Utilities.CORDA_CLIENT_TLS, 4);
            assertChain(node, X509Utilities.CORDA_CLIENT_CA, 3);
            assertChain(node, X509Utilities.NODE_IDENTITY_KEY_ALIAS, 4);
        }
    }

    @Test
    void everyKeyFitsItsCertificate() throws Exception {
        for (String member : MEMBERS) {
            for (String file : Arrays.asList("sslkeystore.jks", "nodekeystore.jks")) {
                KeyStore store = network.store(member, file, KEY_PASSWORD);
                for (String alias : Collections.list(store.aliases())) {
                    assertKeyFits(store, alias);
                }
            }
        }
    }

    @Test
    void keysNeedTheStorePassword() throws Exception {
        KeyStore store = network.store("bank-0", "nodekeystore.jks", KEY_PASSWORD);
        assertThrows(UnrecoverableKeyException.class, () -> store.getKey(X509Utilities.NODE_IDENTITY_KEY_ALIAS, "other".toCharArray()));
    }

    /** A leaked authority key would let anyone join: stores contain only the three keys of their member. */
    @Test
    void keepsTheAuthorityKeysToItself() throws Exception {
        for (String member : MEMBERS) {
            assertEquals(Collections.singletonList(X509Utilities.CORDA_CLIENT_TLS),
                    Collections.list(network.store(member, "sslkeystore.jks", KEY_PASSWORD).aliases()));
            assertEquals(new HashSet<>(Arrays.asList(X509Utilities.CORDA_CLIENT_CA, X509Utilities.NODE_IDENTITY_KEY_ALIAS)),
                    new HashSet<>(Collections.list(network.store(member, "nodekeystore.jks", KEY_PASSWORD).aliases())));
            assertFalse(network.store(member, "truststore.jks", TRUST_PASSWORD).isKeyEntry(X509Utilities.CORDA_ROOT_CA));
        }
    }

    @Test
    void aNodeCaCannotCertifyAnotherMember() throws Exception {
        assertChain(certifyAs("bank-0", "O=Bank-0,L=London,C=GB"));
        assertThrows(CertPathValidatorException.class, () -> assertChain(certifyAs("bank-0", "O=Bank-1,L=London,C=GB")));
    }

    @Test
    void keystoresAreTheirOwnersAlone() throws Exception {
        Path store = folder.resolve("out/members/bank-0/nodekeystore.jks");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(store)));
    }

    @Test
    void nodeInfosVerifyAndNameTheirMember() throws Exception {
        TrustAnchor anchor = new TrustAnchor(network.root("notary", TRUST_PASSWORD), null);
        Map<String, NodeInfo> byName = nodeInfos();
        assertEquals(new HashSet<>(Arrays.asList("Bank-0", "Bank-1", "Notary", "Validator")), byName.keySet());
        for (String member : MEMBERS) {
            NodeInfo info = byName.get(organisation(member));
            assertEquals(member + ".svc:10200", info.getAddresses().get(0).toString());
            assertEquals(9, info.getPlatformVersion());
            assertEquals(1, info.getLegalIdentities().size());
            info.getLegalIdentitiesAndCerts().get(0).verify(anchor);
            Certificate own = network.store(member, "nodekeystore.jks", KEY_PASSWORD).getCertificate(X509Utilities.NODE_IDENTITY_KEY_ALIAS);
            assertEquals(own, info.getLegalIdentitiesAndCerts().get(0).getCertificate());
        }
    }

    @Test
    void parametersAreSignedUnderTheRoot() throws Exception {
        X509Certificate root = network.root("bank-1", TRUST_PASSWORD);
        NetworkMapKt.verifiedNetworkMapCert(network.parameters(), Collections.singleton(root));
        X509Certificate stranger = Authority.create().root();
        assertThrows(Exception.class, () -> NetworkMapKt.verifiedNetworkMapCert(network.parameters(), Collections.singleton(stranger)));
    }

    @Test
    void parametersHoldWhatTheSpecSays() throws Exception {
        NetworkParameters parameters = network.parameters().verified();
        assertEquals(8, parameters.getMinimumPlatformVersion());
        assertEquals(1_000_000, parameters.getMaxMessageSize());
        assertEquals(2_000_000, parameters.getMaxTransactionSize());
        assertEquals(Duration.ofDays(5), parameters.getEventHorizon());
        assertEquals(1, parameters.getEpoch());
    }

    @Test
    void notariesAreTheMembersOwnIdentities() throws Exception {
        List<NotaryInfo> notaries = network.parameters().verified().getNotaries();
        assertEquals(2, notaries.size());
        assertEquals(nodeInfos().get("Notary").getLegalIdentities().get(0), notaries.get(0).getIdentity());
        assertFalse(notaries.get(0).getValidating());
        assertEquals(nodeInfos().get("Validator").getLegalIdentities().get(0), notaries.get(1).getIdentity());
        assertTrue(notaries.get(1).getValidating());
    }

    @Test
    void unsignedContractsAreWhitelisted() throws Exception {
        SecureHash unsigned = SecureHash.sha256(Files.readAllBytes(folder.resolve("cordapps/unsigned.jar")));
        assertEquals(Collections.singletonList(unsigned),
                network.parameters().verified().getWhitelistedContractImplementations().get(Finance.CASH));
    }

    @Test
    void theOrderOfMembersDoesNotMatter(@TempDir Path other) throws Exception {
        List<String> reversed = Arrays.asList("validator", "notary", "bank-1", "bank-0");
        Network second = make(other.resolve("out"), spec(reversed, folder.resolve("cordapps")));
        assertEquals(network.files(), second.files());
        assertEquals("Notary", second.parameters().verified().getNotaries().get(0).getIdentity().getName().getOrganisation());
    }

    @Test
    void aSecondAttemptLeavesNothingOfTheFirst(@TempDir Path other) throws Exception {
        Path out = other.resolve("out");
        make(out, spec(MEMBERS, folder.resolve("cordapps")));
        Network second = make(out, spec(Arrays.asList("notary", "validator"), folder.resolve("cordapps")));
        assertEquals(2, second.nodeInfos().size());
        X509Certificate root = second.root("notary", TRUST_PASSWORD);
        NetworkMapKt.verifiedNetworkMapCert(second.parameters(), Collections.singleton(root));
    }

    private static Network make(Path out, String spec) throws Exception {
        Path file = Files.createTempFile(folder, "genesis", ".json");
        Files.write(file, spec.getBytes("UTF-8"));
        Map<String, String> environment = new HashMap<>();
        environment.put("BENCHNET_KEYSTORE_PASSWORD", KEY_PASSWORD);
        environment.put("BENCHNET_TRUSTSTORE_PASSWORD", TRUST_PASSWORD);
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int code = Main.run(Arrays.asList("--spec", file.toString(), "--out", out.toString()), environment, System.out, new PrintStream(errors));
        assertEquals(0, code, errors::toString);
        return new Network(out);
    }

    private static String spec(List<String> members, Path cordapps) {
        StringBuilder list = new StringBuilder();
        for (String member : members) {
            list.append(list.length() == 0 ? "" : ",").append("{\"name\":\"").append(member).append("\",\"legalName\":\"O=")
                    .append(organisation(member)).append(",L=London,C=GB\",\"p2pAddress\":\"").append(member).append(".svc:10200\"}");
        }
        return "{\"platformVersion\":9,\"minimumPlatformVersion\":8,\"maxMessageSize\":1000000,\"maxTransactionSize\":2000000,"
                + "\"eventHorizonDays\":5,\"cordapps\":\"" + cordapps + "\",\"members\":[" + list + "],"
                + "\"notaries\":[{\"members\":[\"notary\"],\"validating\":false},{\"members\":[\"validator\"],\"validating\":true}]}";
    }

    private static String organisation(String member) {
        return member.substring(0, 1).toUpperCase() + member.substring(1);
    }

    private static Map<String, NodeInfo> nodeInfos() throws Exception {
        Map<String, NodeInfo> byName = new HashMap<>();
        for (SignedNodeInfo signed : network.nodeInfos()) {
            NodeInfo info = signed.verified();
            byName.put(info.getLegalIdentities().get(0).getName().getOrganisation(), info);
        }
        return byName;
    }

    private static void assertChain(KeyStore store, String alias, int length) throws Exception {
        Certificate[] chain = store.getCertificateChain(alias);
        assertEquals(length, chain.length, alias);
        assertChain(Arrays.copyOf(chain, length, X509Certificate[].class));
    }

    private static void assertChain(X509Certificate... chain) throws Exception {
        X509Certificate root = network.root("bank-0", TRUST_PASSWORD);
        X509Utilities.INSTANCE.validateCertificateChain(Collections.singleton(root), chain);
    }

    /** Returns a chain for the subject that the member signs with its node CA. */
    private static X509Certificate[] certifyAs(String member, String subject) throws Exception {
        KeyStore store = network.store(member, "nodekeystore.jks", KEY_PASSWORD);
        PrivateKey key = Crypto.toSupportedPrivateKey((PrivateKey) store.getKey(X509Utilities.CORDA_CLIENT_CA, KEY_PASSWORD.toCharArray()));
        Certificate[] issuers = store.getCertificateChain(X509Utilities.CORDA_CLIENT_CA);
        X509Certificate[] chain = new X509Certificate[issuers.length + 1];
        System.arraycopy(issuers, 0, chain, 1, issuers.length);
        KeyPair keys = new KeyPair(Crypto.toSupportedPublicKey(chain[1].getPublicKey()), key);
        chain[0] = X509Utilities.createCertificate(CertificateType.LEGAL_IDENTITY, chain[1], keys, new X500Principal(subject),
                Authority.generateTlsKeys().getPublic(), X509Utilities.INSTANCE.getDEFAULT_VALIDITY_WINDOW(), null, null, null);
        return chain;
    }

    private static void assertKeyFits(KeyStore store, String alias) throws Exception {
        PrivateKey key = Crypto.toSupportedPrivateKey((PrivateKey) store.getKey(alias, KEY_PASSWORD.toCharArray()));
        PublicKey certified = Crypto.toSupportedPublicKey(store.getCertificate(alias).getPublicKey());
        byte[] text = alias.getBytes("UTF-8");
        assertTrue(Crypto.isValid(certified, Crypto.doSign(key, text), text), alias);
    }
}
