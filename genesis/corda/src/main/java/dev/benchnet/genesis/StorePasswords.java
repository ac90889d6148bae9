package dev.benchnet.genesis;

import java.util.Map;

/** Passwords of the Java keystores; each also protects the keys inside its store, as Corda expects. */
final class StorePasswords {
    static final String KEYSTORE_VARIABLE = "BENCHNET_KEYSTORE_PASSWORD";
    static final String TRUSTSTORE_VARIABLE = "BENCHNET_TRUSTSTORE_PASSWORD";

    final char[] keyStore;
    final char[] trustStore;

    private StorePasswords(String keyStore, String trustStore) {
        this.keyStore = keyStore.toCharArray();
        this.trustStore = trustStore.toCharArray();
    }

    /** Reads the passwords from the environment; the defaults are those of Corda's node configuration. */
    static StorePasswords from(Map<String, String> environment) throws InvalidInputException {
        return new StorePasswords(
                password(environment, KEYSTORE_VARIABLE, "cordacadevpass"),
                password(environment, TRUSTSTORE_VARIABLE, "trustpass"));
    }

    private static String password(Map<String, String> environment, String variable, String otherwise) throws InvalidInputException {
        String password = environment.getOrDefault(variable, otherwise);
        if (password.isEmpty()) {
            throw new InvalidInputException(variable, "must not be empty");
        }
        return password;
    }
}
