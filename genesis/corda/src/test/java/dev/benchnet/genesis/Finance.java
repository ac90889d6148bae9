package dev.benchnet.genesis;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** The finance contracts CorDapp, signed by Corda's developers as published, and without its signature. */
final class Finance {
    static final String CASH = "net.corda.finance.contracts.asset.Cash";

    private Finance() {
    }

    static Path signedJar() throws IOException, URISyntaxException {
        JarURLConnection connection = (JarURLConnection)
                Finance.class.getResource("/" + CASH.replace('.', '/') + ".class").openConnection();
        return Paths.get(connection.getJarFileURL().toURI());
    }

    static void writeUnsigned(Path target) throws IOException, URISyntaxException {
        try (ZipInputStream from = new ZipInputStream(Files.newInputStream(signedJar()));
             ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(target))) {
            for (ZipEntry entry = from.getNextEntry(); entry != null; entry = from.getNextEntry()) {
                if (!entry.getName().matches("META-INF/.*\\.(SF|RSA|DSA|EC)")) {
                    to.putNextEntry(new ZipEntry(entry.getName()));
                    copy(from, to);
                }
            }
        }
    }

    private static void copy(InputStream from, ZipOutputStream to) throws IOException {
        byte[] buffer = new byte[8192];
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            to.write(buffer, 0, read);
        }
    }
}
