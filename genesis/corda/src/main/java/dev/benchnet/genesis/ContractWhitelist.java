package dev.benchnet.genesis;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import net.corda.core.crypto.SecureHash;
import net.corda.core.internal.JarSignatureCollector;
import net.corda.nodeapi.internal.ContractsJarFile;

/**
 * The jars that may contain each contract. A signed CorDapp is bound by its signature. An unsigned CorDapp needs the
 * SHA-256 hash of its jar in the network parameters, for each contract class. The nodes' own code finds classes and
 * signers.
 */
final class ContractWhitelist {
    private ContractWhitelist() {
    }

    /** Returns jar hashes by contract class, from the unsigned jars of the folder; empty without a folder. */
    static Map<String, List<SecureHash>> scanFolder(Optional<Path> folder) throws InvalidInputException {
        Map<String, List<SecureHash>> whitelist = new TreeMap<>();
        if (folder.isPresent()) {
            for (Path jar : listJars(folder.get())) {
                addContracts(whitelist, jar);
            }
        }
        return whitelist;
    }

    private static Iterable<Path> listJars(Path folder) throws InvalidInputException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, "*.jar")) {
            TreeSet<Path> sorted = new TreeSet<>();
            entries.forEach(sorted::add);
            return sorted;
        } catch (IOException e) {
            throw new InvalidInputException("cordapps", "cannot list " + folder + ": " + e);
        }
    }

    private static void addContracts(Map<String, List<SecureHash>> whitelist, Path jar) throws InvalidInputException {
        if (isSigned(jar)) {
            return;
        }
        ContractsJarFile contracts = new ContractsJarFile(jar);
        for (String contract : contracts.scan()) {
            whitelist.computeIfAbsent(contract, c -> new ArrayList<>()).add(contracts.getHash());
        }
    }

    private static boolean isSigned(Path jar) throws InvalidInputException {
        requireArchive(jar);
        try (JarInputStream stream = new JarInputStream(Files.newInputStream(jar))) {
            return !JarSignatureCollector.INSTANCE.collectSigners(stream).isEmpty();
        } catch (Exception e) { // Kotlin code: InvalidJarSignersException is checked but not declared
            throw new InvalidInputException("cordapps", jar.getFileName() + ": " + e.getMessage());
        }
    }

    /**
     * Checks that the jar is readable. A stream of a broken archive would just end early and look unsigned and empty.
     */
    private static void requireArchive(Path jar) throws InvalidInputException {
        try (JarFile archive = new JarFile(jar.toFile())) {
            archive.getManifest();
        } catch (IOException e) {
            throw new InvalidInputException("cordapps", jar.getFileName() + " is not a readable jar: " + e.getMessage());
        }
    }
}
