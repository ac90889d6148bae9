package dev.benchnet.genesis;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** Writes a network's files. Only their owner can read the keystores. */
final class OutputFolder {
    private OutputFolder() {
    }

    /**
     * Writes every file below the folder, which it creates if necessary. Replaces files of an earlier attempt and
     * removes its node infos, since a node would read all that it finds.
     */
    static void write(Path folder, Map<String, byte[]> files) throws IOException {
        removeNodeInfos(folder);
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
            if (file.getKey().startsWith(MemberFiles.FOLDER)) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            }
        }
    }

    private static void removeNodeInfos(Path folder) throws IOException {
        Path prefix = folder.resolve(MemberFiles.NODE_INFO_PREFIX);
        if (!Files.isDirectory(prefix.getParent())) {
            return;
        }
        try (DirectoryStream<Path> stale = Files.newDirectoryStream(prefix.getParent(), prefix.getFileName() + "*")) {
            for (Path file : stale) {
                Files.delete(file);
            }
        }
    }
}
