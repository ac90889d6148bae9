package dev.benchnet.genesis;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.corda.core.internal.SignedDataWithCert;
import net.corda.core.node.NetworkParameters;
import net.corda.core.serialization.internal.SerializationEnvironment;
import net.corda.core.serialization.internal.SerializationEnvironmentKt;
import net.corda.core.utilities.ByteSequence;
import net.corda.nodeapi.internal.SignedNodeInfo;
import net.corda.nodeapi.internal.crypto.X509Utilities;

/** A generated network, read from the output folder as its members would. */
final class Network {
    private final Path folder;

    Network(Path folder) {
        this.folder = folder;
    }

    List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).map(f -> folder.relativize(f).toString()).sorted().collect(Collectors.toList());
        }
    }

    KeyStore store(String member, String file, String password) throws Exception {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(new ByteArrayInputStream(read("members/" + member + "/" + file)), password.toCharArray());
        return store;
    }

    X509Certificate root(String member, String password) throws Exception {
        return (X509Certificate) store(member, "truststore.jks", password).getCertificate(X509Utilities.CORDA_ROOT_CA);
    }

    List<Path> nodeInfoFiles() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("network-map"))) {
            return files.filter(f -> f.getFileName().toString().startsWith("nodeInfo-")).sorted().collect(Collectors.toList());
        }
    }

    List<SignedNodeInfo> nodeInfos() throws IOException {
        List<SignedNodeInfo> infos = new ArrayList<>();
        for (Path file : nodeInfoFiles()) {
            infos.add(parse(Files.readAllBytes(file), SignedNodeInfo.class));
        }
        return Collections.unmodifiableList(infos);
    }

    @SuppressWarnings("unchecked")
    SignedDataWithCert<NetworkParameters> parameters() throws IOException {
        return parse(read("network-map/network-parameters"), SignedDataWithCert.class);
    }

    private byte[] read(String file) throws IOException {
        return Files.readAllBytes(folder.resolve(file));
    }

    private static <T> T parse(byte[] bytes, Class<T> type) throws IOException {
        SerializationEnvironment environment = SerializationEnvironmentKt.getEffectiveSerializationEnv();
        return environment.getSerializationFactory().deserialize(ByteSequence.of(bytes), type, environment.getP2pContext());
    }
}
