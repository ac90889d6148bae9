package dev.benchnet.genesis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
            Map<String, ServiceIdentity> services = createServices(spec, authority);
            MemberFiles.Factory factory = new MemberFiles.Factory(authority, passwords, spec.platformVersion, now);
            List<Future<MemberFiles>> members = new ArrayList<>();
            for (NetworkSpec.Member member : spec.members) {
                members.add(pool.submit(() -> factory.create(member, Optional.ofNullable(services.get(member.name)))));
            }
            return assemble(spec, authority, services, members, whitelist, now);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
        } finally {
            pool.shutdownNow();
        }
    }

    /** Returns the identities of notary services by the name of the replica. */
    private static Map<String, ServiceIdentity> createServices(NetworkSpec spec, Authority authority) {
        Map<String, ServiceIdentity> services = new HashMap<>();
        for (NetworkSpec.Notary notary : spec.notaries) {
            notary.serviceLegalName.ifPresent(name ->
                    services.putAll(ServiceIdentity.createForReplicas(authority, name, notary.members, notary.composite)));
        }
        return services;
    }

    private static SortedMap<String, byte[]> assemble(NetworkSpec spec, Authority authority, Map<String, ServiceIdentity> services,
                                                      List<Future<MemberFiles>> members, Future<Map<String, List<SecureHash>>> whitelist,
                                                      Instant now) throws Exception {
        SortedMap<String, byte[]> files = new TreeMap<>();
        Map<String, Party> parties = new HashMap<>();
        for (Future<MemberFiles> pending : members) {
            MemberFiles member = pending.get();
            files.putAll(member.files);
            parties.put(member.name, member.party);
        }
        List<NotaryInfo> notaries = new ArrayList<>();
        for (NetworkSpec.Notary notary : spec.notaries) {
            ServiceIdentity service = services.get(notary.members.get(0));
            Party identity = service == null ? parties.get(notary.members.get(0)) : service.party().getParty();
            notaries.add(new NotaryInfo(identity, notary.validating));
        }
        NetworkParameters parameters = parameters(spec, notaries, whitelist.get(), now);
        files.put(PARAMETERS_FILE, PeerSerialization.serialize(authority.sign(parameters)).getBytes());
        return files;
    }

    /** Uses linked maps: Corda refuses to serialise maps without a stable order. */
    private static NetworkParameters parameters(NetworkSpec spec, List<NotaryInfo> notaries,
                                                Map<String, List<SecureHash>> whitelist, Instant now) {
        return new NetworkParameters(spec.minimumPlatformVersion, notaries, spec.maxMessageSize, spec.maxTransactionSize,
                now, FIRST_EPOCH, new LinkedHashMap<>(whitelist), spec.eventHorizon, new LinkedHashMap<>());
    }
}
