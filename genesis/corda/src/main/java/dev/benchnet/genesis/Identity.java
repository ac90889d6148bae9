package dev.benchnet.genesis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Optional;
import net.corda.core.crypto.Crypto;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.PartyAndCertificate;
import net.corda.nodeapi.internal.crypto.CertificateAndKeyPair;
import net.corda.nodeapi.internal.crypto.CertificateType;
import net.corda.nodeapi.internal.crypto.X509Utilities;

/** The keys and certificates of one member: its node CA, its TLS key and the key of its legal identity. */
final class Identity {
    private final CertificateAndKeyPair nodeCa;
    private final X509Certificate[] nodeCaChain;
    private final KeyPair tlsKeys;
    private final X509Certificate[] tlsChain;
    private final KeyPair legalKeys;
    private final X509Certificate[] legalChain;

    /** Generates new keys and has the authority certify them. */
    Identity(Authority authority, CordaX500Name name) {
        nodeCa = authority.issueNodeCa(name);
        nodeCaChain = authority.chainToRoot(nodeCa);
        tlsKeys = Authority.generateTlsKeys();
        tlsChain = authority.certify(CertificateType.TLS, nodeCa, tlsKeys.getPublic());
        legalKeys = Crypto.generateKeyPair(X509Utilities.INSTANCE.getDEFAULT_IDENTITY_SIGNATURE_SCHEME());
        legalChain = authority.certify(CertificateType.LEGAL_IDENTITY, nodeCa, legalKeys.getPublic());
    }

    PartyAndCertificate party() {
        return new PartyAndCertificate(X509Utilities.INSTANCE.buildCertPath(Arrays.asList(legalChain)));
    }

    PrivateKey legalKey() {
        return legalKeys.getPrivate();
    }

    /**
     * Returns {@code nodekeystore.jks}: the node CA, the legal identity and the service's identity if there is one, with
     * the aliases that a node expects.
     */
    byte[] nodeKeyStore(Optional<ServiceIdentity> service, char[] password) throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        store.setKeyEntry(X509Utilities.CORDA_CLIENT_CA, nodeCa.getKeyPair().getPrivate(), password, nodeCaChain);
        store.setKeyEntry(X509Utilities.NODE_IDENTITY_KEY_ALIAS, legalKey(), password, legalChain);
        if (service.isPresent()) {
            store.setKeyEntry(X509Utilities.DISTRIBUTED_NOTARY_KEY_ALIAS, service.get().key(), password, service.get().chainToRoot());
            if (service.get().compositeCertificate().isPresent()) {
                store.setCertificateEntry(X509Utilities.DISTRIBUTED_NOTARY_COMPOSITE_KEY_ALIAS, service.get().compositeCertificate().get());
            }
        }
        return bytes(store, password);
    }

    /** Returns {@code sslkeystore.jks}: the TLS key. */
    byte[] sslKeyStore(char[] password) throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        store.setKeyEntry(X509Utilities.CORDA_CLIENT_TLS, tlsKeys.getPrivate(), password, tlsChain);
        return bytes(store, password);
    }

    /** Returns {@code truststore.jks}: the network's root, which every member trusts. */
    static byte[] trustStore(X509Certificate root, char[] password) throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        store.setCertificateEntry(X509Utilities.CORDA_ROOT_CA, root);
        return bytes(store, password);
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        return store;
    }

    private static byte[] bytes(KeyStore store, char[] password) throws GeneralSecurityException, IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        store.store(out, password);
        return out.toByteArray();
    }
}
