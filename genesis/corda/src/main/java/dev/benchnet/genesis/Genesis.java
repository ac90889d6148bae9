package dev.benchnet.genesis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.corda.core.crypto.SecureHash;
import net.corda.core.identity.Party;
import net.corda.core.node.NetworkParameters;
import net.corda.core.node.NotaryInfo;

/** Generates the files of a network in memory. */
final class Genesis {
    static final String PARAMETERS_FILE = "network-map/network-parameters";
    /** The epoch of the first network parameters; a network of this tool never has a second set. */
    private static final int FIRST_EPOCH = 1;

    private Genesis() {
    }

    /**
     * Returns the content of every file by its path relative to the output folder. Generates the members in parallel,
     * with one thread per core; the result does not depend on their order.
     */
    static SortedMap<String, byte[]> generateFiles(NetworkSpec spec, StorePasswords passwords, Instant now) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            Future<Map<String, List<SecureHash>>> whitelist = pool.submit(() -> ContractWhitelist.scanFolder(spec.cordapps));
            Authority authority = Authority.create();
            MemberFiles.Factory factory = new MemberFiles.Factory(authority, passwords, spec.platformVersion, now);
            List<Future<MemberFiles>> members = new ArrayList<>();
            for (NetworkSpec.Member member : spec.members) {
                members.add(pool.submit(() -> factory.create(member)));
            }
            return assemble(spec, authority, members, whitelist, now);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
        } finally {
            pool.shutdownNow();
        }
    }

    private static SortedMap<String, byte[]> assemble(NetworkSpec spec, Authority authority, List<Future<MemberFiles>> members,
                                                      Future<Map<String, List<SecureHash>>> whitelist, Instant now) throws Exception {
        SortedMap<String, byte[]> files = new TreeMap<>();
        Map<String, Party> parties = new HashMap<>();
        for (Future<MemberFiles> pending : members) {
            MemberFiles member = pending.get();
            files.putAll(member.files);
            parties.put(member.name, member.party);
        }
        NetworkParameters parameters = parameters(spec, parties, whitelist.get(), now);
        files.put(PARAMETERS_FILE, PeerSerialization.serialize(authority.sign(parameters)).getBytes());
        return files;
    }

    /** Uses linked maps: Corda refuses to serialise maps without a stable order. */
    private static NetworkParameters parameters(NetworkSpec spec, Map<String, Party> parties,
                                                Map<String, List<SecureHash>> whitelist, Instant now) {
        List<NotaryInfo> notaries = new ArrayList<>();
        for (NetworkSpec.Notary notary : spec.notaries) {
            notaries.add(new NotaryInfo(parties.get(notary.member), notary.validating));
        }
        return new NetworkParameters(spec.minimumPlatformVersion, notaries, spec.maxMessageSize, spec.maxTransactionSize,
                now, FIRST_EPOCH, new LinkedHashMap<>(whitelist), spec.eventHorizon, new LinkedHashMap<>());
    }
}
