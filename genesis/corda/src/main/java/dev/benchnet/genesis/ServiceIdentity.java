package dev.benchnet.genesis;

import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import net.corda.core.crypto.Crypto;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.PartyAndCertificate;
import net.corda.nodeapi.internal.crypto.X509Utilities;

/** The identity of a notary service. All of its replicas hold the same key, so any of them can sign for the service. */
final class ServiceIdentity {
    private final KeyPair keys;
    private final X509Certificate[] chain;

    /** Generates a new key and has the authority certify it. */
    ServiceIdentity(Authority authority, CordaX500Name name) {
        keys = Crypto.generateKeyPair(X509Utilities.INSTANCE.getDEFAULT_IDENTITY_SIGNATURE_SCHEME());
        chain = authority.certifyService(name, keys.getPublic());
    }

    PartyAndCertificate party() {
        return new PartyAndCertificate(X509Utilities.INSTANCE.buildCertPath(Arrays.asList(chain)));
    }

    PrivateKey key() {
        return keys.getPrivate();
    }

    /** Returns the certificates from the identity up to the root. */
    X509Certificate[] chainToRoot() {
        return chain.clone();
    }
}
