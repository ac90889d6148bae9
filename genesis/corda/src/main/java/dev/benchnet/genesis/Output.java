package dev.benchnet.genesis;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** Writes a network's files. Keystores are readable by their owner alone. */
final class Output {
    private Output() {
    }

    /**
     * Writes every file under the folder, which is made if need be. Files of an earlier attempt are replaced, and its node infos
     * removed, since a node would read any it finds.
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
