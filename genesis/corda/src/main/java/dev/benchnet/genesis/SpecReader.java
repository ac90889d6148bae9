package dev.benchnet.genesis;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.utilities.NetworkHostAndPort;

/** Reads and validates {@code genesis.json}. Defaults are those of Corda's network bootstrapper. */
final class SpecReader {
    /** Platform versions of Corda 4.3 and of 4.12. */
    private static final int OLDEST_PLATFORM = 5;
    private static final int NEWEST_PLATFORM = 140;
    private static final int MAX_MESSAGE_SIZE = 10_485_760;
    private static final int MAX_TRANSACTION_SIZE = 524_288_000;
    private static final int EVENT_HORIZON_DAYS = 30;
    private static final int LONGEST_HORIZON_DAYS = 36_500;

    private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    private SpecReader() {
    }

    static NetworkSpec read(Path file) throws InvalidInputException {
        Field spec = Field.root(parseFile(file)).rejectUnknown("platformVersion", "minimumPlatformVersion", "maxMessageSize",
                "maxTransactionSize", "eventHorizonDays", "members", "notaries", "cordapps");
        int platformVersion = spec.get("platformVersion").readInteger(OLDEST_PLATFORM, NEWEST_PLATFORM);
        List<NetworkSpec.Member> members = readMembers(spec.get("members"));
        return new NetworkSpec(
                platformVersion,
                readOptionalInteger(spec, "minimumPlatformVersion", platformVersion, platformVersion),
                readOptionalInteger(spec, "maxMessageSize", Integer.MAX_VALUE, MAX_MESSAGE_SIZE),
                readOptionalInteger(spec, "maxTransactionSize", Integer.MAX_VALUE, MAX_TRANSACTION_SIZE),
                Duration.ofDays(readOptionalInteger(spec, "eventHorizonDays", LONGEST_HORIZON_DAYS, EVENT_HORIZON_DAYS)),
                members,
                readNotaries(spec.find("notaries"), members),
                readCordapps(spec.find("cordapps")));
    }

    private static JsonNode parseFile(Path file) throws InvalidInputException {
        ObjectMapper mapper = new ObjectMapper()
                .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        try {
            return mapper.readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            throw new InvalidInputException("spec", file + " is not JSON: " + e.getMessage());
        } catch (IOException e) {
            throw new InvalidInputException("spec", "cannot read " + file + ": " + e.getClass().getSimpleName());
        }
    }

    private static int readOptionalInteger(Field spec, String name, int max, int defaultValue) throws InvalidInputException {
        Optional<Field> field = spec.find(name);
        return field.isPresent() ? field.get().readInteger(1, max) : defaultValue;
    }

    private static List<NetworkSpec.Member> readMembers(Field field) throws InvalidInputException {
        List<NetworkSpec.Member> members = new ArrayList<>();
        Set<Object> taken = new HashSet<>();
        for (Field member : field.readList()) {
            member.rejectUnknown("name", "legalName", "p2pAddress");
            Field name = member.get("name");
            Field legalName = member.get("legalName");
            Field address = member.get("p2pAddress");
            NetworkSpec.Member read = new NetworkSpec.Member(readLabel(name), readLegalName(legalName), readAddress(address));
            requireUnique(name, taken.add(read.name));
            requireUnique(legalName, taken.add(read.legalName));
            requireUnique(address, taken.add(read.p2pAddress));
            members.add(read);
        }
        field.require(!members.isEmpty(), "must name at least one member");
        return Collections.unmodifiableList(members);
    }

    private static List<NetworkSpec.Notary> readNotaries(Optional<Field> field, List<NetworkSpec.Member> members) throws InvalidInputException {
        List<NetworkSpec.Notary> notaries = new ArrayList<>();
        Set<Object> taken = members.stream().map(m -> m.legalName).collect(Collectors.toSet());
        for (Field notary : field.isPresent() ? field.get().readList() : Collections.<Field>emptyList()) {
            notary.rejectUnknown("members", "serviceLegalName", "composite", "validating");
            List<String> replicas = readReplicas(notary.get("members"), members, taken);
            Optional<CordaX500Name> service = Optional.empty();
            if (notary.find("serviceLegalName").isPresent()) {
                service = Optional.of(readLegalName(notary.get("serviceLegalName")));
                requireUnique(notary.get("serviceLegalName"), taken.add(service.get()));
            }
            notary.require(service.isPresent() || replicas.size() == 1, "several members need a serviceLegalName");
            Optional<Field> composite = notary.find("composite");
            boolean isComposite = composite.isPresent() && composite.get().readFlag();
            notary.require(service.isPresent() || !isComposite, "composite needs a serviceLegalName");
            notaries.add(new NetworkSpec.Notary(replicas, service, isComposite, notary.get("validating").readFlag()));
        }
        return Collections.unmodifiableList(notaries);
    }

    /** Returns the names of a notary's members, which no other notary has. */
    private static List<String> readReplicas(Field field, List<NetworkSpec.Member> members, Set<Object> taken) throws InvalidInputException {
        List<String> replicas = new ArrayList<>();
        for (Field replica : field.readList()) {
            String name = replica.readText();
            replica.require(members.stream().anyMatch(m -> m.name.equals(name)), "no member is called " + name);
            requireUnique(replica, taken.add(name));
            replicas.add(name);
        }
        field.require(!replicas.isEmpty(), "must name at least one member");
        return Collections.unmodifiableList(replicas);
    }

    private static Optional<Path> readCordapps(Optional<Field> field) throws InvalidInputException {
        if (!field.isPresent()) {
            return Optional.empty();
        }
        Path folder = Paths.get(field.get().readText());
        field.get().require(Files.isDirectory(folder) && Files.isReadable(folder), folder + " is not a readable folder");
        return Optional.of(folder);
    }

    /**
     * Returns a DNS label, which becomes part of folder and Secret names: it also keeps the output inside its folder.
     */
    private static String readLabel(Field field) throws InvalidInputException {
        String text = field.readText();
        field.require(DNS_LABEL.matcher(text).matches(),
                "must be a DNS label (a-z, 0-9 and inner dashes, at most 63), not \"" + text + "\"");
        return text;
    }

    private static CordaX500Name readLegalName(Field field) throws InvalidInputException {
        String text = field.readText();
        try {
            return CordaX500Name.parse(text);
        } catch (IllegalArgumentException e) {
            throw field.invalid("\"" + text + "\" is not a Corda legal name: " + e.getMessage());
        }
    }

    private static NetworkHostAndPort readAddress(Field field) throws InvalidInputException {
        String text = field.readText();
        try {
            NetworkHostAndPort address = NetworkHostAndPort.parse(text);
            field.require(address.getPort() > 0, "port must not be 0");
            return address;
        } catch (IllegalArgumentException e) {
            throw field.invalid("\"" + text + "\" is not host:port: " + e.getMessage());
        }
    }

    private static void requireUnique(Field field, boolean firstSeen) throws InvalidInputException {
        field.require(firstSeen, "is used by another entry too");
    }
}
