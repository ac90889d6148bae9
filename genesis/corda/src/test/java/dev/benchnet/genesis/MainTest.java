package dev.benchnet.genesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
    private static final Map<String, String> NO_ENVIRONMENT = Collections.emptyMap();

    @TempDir
    Path folder;

    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private Path spec;

    @BeforeEach
    void writeSpec() throws Exception {
        spec = folder.resolve("genesis.json");
        Files.write(spec, ("{\"platformVersion\":12,\"members\":[{\"name\":\"a\",\"legalName\":\"O=Bank A,L=London,C=GB\","
                + "\"p2pAddress\":\"a:10200\"}]}").getBytes("UTF-8"));
    }

    @Test
    void wantsASpec() {
        assertEquals(2, run(NO_ENVIRONMENT, "--out", folder.toString()));
        assertEquals("genesis: --spec: is missing; usage: java -jar genesis.jar --spec FILE --out FOLDER\n", errors.toString());
    }

    @Test
    void wantsAnOutputFolder() {
        assertEquals(2, run(NO_ENVIRONMENT, "--spec", spec.toString(), "--out"));
        assertTrue(errors.toString().startsWith("genesis: --out: is missing"), errors.toString());
    }

    @Test
    void wantsNothingElse() {
        assertEquals(2, run(NO_ENVIRONMENT, "--spec", spec.toString(), "--out", folder.toString(), "--force"));
        assertTrue(errors.toString().startsWith("genesis: arguments: too many"), errors.toString());
    }

    @Test
    void refusesAnEmptyPassword() {
        Map<String, String> environment = Collections.singletonMap("BENCHNET_KEYSTORE_PASSWORD", "");
        assertEquals(2, run(environment, "--spec", spec.toString(), "--out", folder.resolve("out").toString()));
        assertEquals("genesis: BENCHNET_KEYSTORE_PASSWORD: must not be empty\n", errors.toString());
        assertFalse(Files.exists(folder.resolve("out")));
    }

    @Test
    void badInputWritesNothing() throws Exception {
        Files.write(spec, "{\"platformVersion\":12,\"members\":[]}".getBytes("UTF-8"));
        assertEquals(2, run(NO_ENVIRONMENT, "--spec", spec.toString(), "--out", folder.resolve("out").toString()));
        assertEquals("genesis: members: must name at least one member\n", errors.toString());
        assertFalse(Files.exists(folder.resolve("out")));
    }

    @Test
    void aBrokenCordappIsBadInput() throws Exception {
        Files.write(folder.resolve("bank.jar"), new byte[]{1, 2, 3});
        Files.write(spec, new String(Files.readAllBytes(spec), "UTF-8").replaceFirst("\\{", "{\"cordapps\":\"" + folder + "\",").getBytes("UTF-8"));
        assertEquals(2, run(NO_ENVIRONMENT, "--spec", spec.toString(), "--out", folder.resolve("out").toString()));
        assertTrue(errors.toString().startsWith("genesis: cordapps: bank.jar is not a readable jar"), errors.toString());
    }

    @Test
    void anOutputThatCannotBeWrittenIsAFailure() throws Exception {
        Path file = Files.createFile(folder.resolve("out"));
        assertEquals(1, run(NO_ENVIRONMENT, "--spec", spec.toString(), "--out", file.toString()));
        assertTrue(errors.toString().startsWith("genesis: cannot write: "), errors.toString());
        assertEquals(1, errors.toString().trim().split("\n").length, errors.toString());
    }

    @Test
    void usesTheStorePasswordsOfCordaByDefault() throws Exception {
        assertEquals(0, run(NO_ENVIRONMENT, "--spec", spec.toString(), "--out", folder.toString()), errors::toString);
        Network network = new Network(folder);
        assertEquals(1, network.store("a", "sslkeystore.jks", "cordacadevpass").size());
        assertEquals(1, network.store("a", "truststore.jks", "trustpass").size());
    }

    private int run(Map<String, String> environment, String... arguments) {
        PrintStream discarded = new PrintStream(new ByteArrayOutputStream());
        return Main.run(Arrays.asList(arguments), environment, discarded, new PrintStream(errors));
    }
}
