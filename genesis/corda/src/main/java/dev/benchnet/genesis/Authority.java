package dev.benchnet.genesis;

import java.security.KeyPair;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import javax.security.auth.x500.X500Principal;
import net.corda.core.crypto.Crypto;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.internal.SignedDataWithCert;
import net.corda.nodeapi.internal.crypto.CertificateAndKeyPair;
import net.corda.nodeapi.internal.crypto.CertificateType;
import net.corda.nodeapi.internal.crypto.X509Utilities;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.NameConstraints;

/**
 * The certificate authority of one network: a root, an intermediate that signs the node CAs, and the network map that
 * signs the parameters. Each network has new keys, which stay in memory and are never written. Thread-safe.
 */
final class Authority {
    private static final X500Principal ROOT_NAME = new X500Principal("CN=Root CA,O=Benchnet,L=London,C=GB");
    private static final X500Principal INTERMEDIATE_NAME = new X500Principal("CN=Intermediate CA,O=Benchnet,L=London,C=GB");
    private static final X500Principal NETWORK_MAP_NAME = new X500Principal("CN=Network Map,O=Benchnet,L=London,C=GB");

    private final X509Certificate root;
    private final CertificateAndKeyPair intermediate;
    private final CertificateAndKeyPair networkMap;

    private Authority(X509Certificate root, CertificateAndKeyPair intermediate, CertificateAndKeyPair networkMap) {
        this.root = root;
        this.intermediate = intermediate;
        this.networkMap = networkMap;
    }

    static Authority create() {
        KeyPair rootKeys = generateTlsKeys();
        X509Certificate certificate = X509Utilities.createSelfSignedCACertificate(
                ROOT_NAME, rootKeys, X509Utilities.INSTANCE.getDEFAULT_VALIDITY_WINDOW());
        CertificateAndKeyPair root = new CertificateAndKeyPair(certificate, rootKeys);
        return new Authority(certificate,
                issue(CertificateType.INTERMEDIATE_CA, root, INTERMEDIATE_NAME, generateTlsKeys(), null),
                issue(CertificateType.NETWORK_MAP, root, NETWORK_MAP_NAME, generateTlsKeys(), null));
    }

    X509Certificate root() {
        return root;
    }

    /** Returns the CA of one member. Its name constraint allows only certificates for the member's own name. */
    CertificateAndKeyPair issueNodeCa(CordaX500Name name) {
        GeneralName own = new GeneralName(GeneralName.directoryName, X500Name.getInstance(name.getX500Principal().getEncoded()));
        NameConstraints constraints = new NameConstraints(new GeneralSubtree[]{new GeneralSubtree(own)}, new GeneralSubtree[0]);
        return issue(CertificateType.NODE_CA, intermediate, name.getX500Principal(), generateTlsKeys(), constraints);
    }

    /** Returns the certificates from a node CA up to the root. */
    X509Certificate[] chainToRoot(CertificateAndKeyPair nodeCa) {
        return new X509Certificate[]{nodeCa.getCertificate(), intermediate.getCertificate(), root};
    }

    /** Signs with the key of the network map. */
    <T> SignedDataWithCert<T> sign(T data) {
        return networkMap.sign(data);
    }

    /** Certifies a key under the subject's own node CA; returns the whole chain up to the root. */
    X509Certificate[] certify(CertificateType type, CertificateAndKeyPair nodeCa, PublicKey key) {
        X500Principal subject = nodeCa.getCertificate().getSubjectX500Principal();
        X509Certificate[] issuers = chainToRoot(nodeCa);
        X509Certificate[] chain = new X509Certificate[issuers.length + 1];
        chain[0] = certificate(type, nodeCa, subject, key, null);
        System.arraycopy(issuers, 0, chain, 1, issuers.length);
        return chain;
    }

    /** Certifies the key of a service that several nodes run, directly under the intermediate as Corda demands. */
    X509Certificate[] certifyService(CordaX500Name name, PublicKey key) {
        X509Certificate own = certificate(CertificateType.SERVICE_IDENTITY, intermediate, name.getX500Principal(), key, null);
        return new X509Certificate[]{own, intermediate.getCertificate(), root};
    }

    /** Returns a key pair that TLS can verify; every certificate above a TLS certificate needs this scheme. */
    static KeyPair generateTlsKeys() {
        return Crypto.generateKeyPair(X509Utilities.INSTANCE.getDEFAULT_TLS_SIGNATURE_SCHEME());
    }

    private static CertificateAndKeyPair issue(CertificateType type, CertificateAndKeyPair issuer, X500Principal subject,
                                               KeyPair keys, NameConstraints constraints) {
        return new CertificateAndKeyPair(certificate(type, issuer, subject, keys.getPublic(), constraints), keys);
    }

    private static X509Certificate certificate(CertificateType type, CertificateAndKeyPair issuer, X500Principal subject,
                                               PublicKey key, NameConstraints constraints) {
        return X509Utilities.createCertificate(type, issuer.getCertificate(), issuer.getKeyPair(), subject, key,
                X509Utilities.INSTANCE.getDEFAULT_VALIDITY_WINDOW(), constraints, null, null);
    }
}
