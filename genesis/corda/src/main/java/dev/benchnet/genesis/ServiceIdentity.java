package dev.benchnet.genesis;

import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import net.corda.core.crypto.CompositeKey;
import net.corda.core.crypto.Crypto;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.PartyAndCertificate;
import net.corda.nodeapi.internal.crypto.X509Utilities;

/**
 * The identity of a notary service as one of its replicas holds it. Either all replicas hold the same key, so that any of
 * them can sign for the service; or each holds its own key, and the service has the composite key of all of them, for
 * which more than two thirds of the replicas must sign.
 */
final class ServiceIdentity {
    private final KeyPair keys;
    private final X509Certificate[] chain;
    private final Optional<X509Certificate[]> compositeChain;

    private ServiceIdentity(KeyPair keys, X509Certificate[] chain, Optional<X509Certificate[]> compositeChain) {
        this.keys = keys;
        this.chain = chain;
        this.compositeChain = compositeChain;
    }

    /** Generates the keys of a service, has the authority certify them, and returns the identity of each replica. */
    static Map<String, ServiceIdentity> createForReplicas(Authority authority, CordaX500Name name, List<String> replicas, boolean composite) {
        Map<String, ServiceIdentity> byReplica = new HashMap<>();
        if (!composite) {
            KeyPair keys = generateKeys();
            ServiceIdentity shared = new ServiceIdentity(keys, authority.certifyService(name, keys.getPublic()), Optional.empty());
            replicas.forEach(replica -> byReplica.put(replica, shared));
            return byReplica;
        }
        Map<String, KeyPair> keysByReplica = new LinkedHashMap<>();
        replicas.forEach(replica -> keysByReplica.put(replica, generateKeys()));
        List<PublicKey> all = keysByReplica.values().stream().map(KeyPair::getPublic).collect(Collectors.toList());
        Optional<X509Certificate[]> compositeChain = Optional.of(authority.certifyService(name, compositeKey(all)));
        keysByReplica.forEach((replica, keys) ->
                byReplica.put(replica, new ServiceIdentity(keys, authority.certifyService(name, keys.getPublic()), compositeChain)));
        return byReplica;
    }

    /** Returns the key with the threshold of Corda's network bootstrapper. */
    private static PublicKey compositeKey(List<PublicKey> keys) {
        return new CompositeKey.Builder().addKeys(keys).build(1 + 2 * keys.size() / 3);
    }

    private static KeyPair generateKeys() {
        return Crypto.generateKeyPair(X509Utilities.INSTANCE.getDEFAULT_IDENTITY_SIGNATURE_SCHEME());
    }

    /** Returns the party of the service, which is the same for all replicas. */
    PartyAndCertificate party() {
        return new PartyAndCertificate(X509Utilities.INSTANCE.buildCertPath(Arrays.asList(compositeChain.orElse(chain))));
    }

    PrivateKey key() {
        return keys.getPrivate();
    }

    /** Returns the certificates from the replica's key up to the root. */
    X509Certificate[] chainToRoot() {
        return chain.clone();
    }

    /** Returns the certificate of the composite key, if the replica's key is only a part of it. */
    Optional<X509Certificate> compositeCertificate() {
        return compositeChain.map(certificates -> certificates[0]);
    }
}
