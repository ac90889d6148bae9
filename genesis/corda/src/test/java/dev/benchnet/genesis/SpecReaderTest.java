package dev.benchnet.genesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpecReaderTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    Path folder;

    @Test
    void readsWhatIsGiven() throws Exception {
        NetworkSpec spec = read("{\"platformVersion\":10,\"minimumPlatformVersion\":4,\"maxMessageSize\":1000,\"maxTransactionSize\":2000,"
                + "\"eventHorizonDays\":7,\"members\":[{\"name\":\"a\",\"legalName\":\"O=Bank A,L=London,C=GB\",\"p2pAddress\":\"a.svc:10200\"}],"
                + "\"notaries\":[{\"members\":[\"a\"],\"serviceLegalName\":\"O=Notary,L=London,C=GB\",\"composite\":true,\"validating\":true}],\"cordapps\":\"" + folder + "\"}");
        assertEquals(10, spec.platformVersion);
        assertEquals(4, spec.minimumPlatformVersion);
        assertEquals(1000, spec.maxMessageSize);
        assertEquals(2000, spec.maxTransactionSize);
        assertEquals(Duration.ofDays(7), spec.eventHorizon);
        assertEquals("Bank A", spec.members.get(0).legalName.getOrganisation());
        assertEquals("a.svc:10200", spec.members.get(0).p2pAddress.toString());
        assertTrue(spec.notaries.get(0).composite);
        assertTrue(spec.notaries.get(0).validating);
        assertEquals(Collections.singletonList("a"), spec.notaries.get(0).members);
        assertEquals("Notary", spec.notaries.get(0).serviceLegalName.get().getOrganisation());
        assertEquals(folder, spec.cordapps.get());
    }

    @Test
    void fillsInTheDefaultsOfTheBootstrapper() throws Exception {
        NetworkSpec spec = read("{\"platformVersion\":12,\"members\":[{\"name\":\"a\",\"legalName\":\"O=Bank A,L=London,C=GB\",\"p2pAddress\":\"a:1\"}]}");
        assertEquals(12, spec.minimumPlatformVersion);
        assertEquals(10_485_760, spec.maxMessageSize);
        assertEquals(524_288_000, spec.maxTransactionSize);
        assertEquals(Duration.ofDays(30), spec.eventHorizon);
        assertTrue(spec.notaries.isEmpty());
        assertFalse(spec.cordapps.isPresent());
    }

    /**
     * Each row: the path of a field in a valid spec, the JSON put there (empty: removes the field), and the start of
     * the error.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "/platformVersion                 |                     | platformVersion: is missing",
        "/platformVersion                 | 4                   | platformVersion: must be a whole number from 5 to 140, not 4",
        "/platformVersion                 | 141                 | platformVersion: must be a whole number from 5 to 140, not 141",
        "/platformVersion                 | \"12\"              | platformVersion: must be a whole number",
        "/platformVersion                 | 9.5                 | platformVersion: must be a whole number",
        "/minimumPlatformVersion          | 12                  | minimumPlatformVersion: must be a whole number from 1 to 11, not 12",
        "/maxMessageSize                  | 0                   | maxMessageSize: must be a whole number from 1",
        "/maxTransactionSize              | 3000000000          | maxTransactionSize: must be a whole number from 1",
        "/eventHorizonDays                | -1                  | eventHorizonDays: must be a whole number from 1",
        "/eventhorizondays                | 3                   | eventhorizondays: unknown field",
        "/members                         |                     | members: is missing",
        "/members                         | []                  | members: must name at least one member",
        "/members                         | {}                  | members: must be a list",
        "/members/1                       | \"member-1\"        | members[1]: must be an object",
        "/members/1/port                  | 10200               | members[1].port: unknown field",
        "/members/1/name                  |                     | members[1].name: is missing",
        "/members/1/name                  | \"member-0\"        | members[1].name: is used by another entry too",
        "/members/1/name                  | \"../etc\"          | members[1].name: must be a DNS label",
        "/members/1/name                  | \"\"                | members[1].name: must be a non-empty string",
        "/members/1/legalName             | \"Bank\"            | members[1].legalName: \"Bank\" is not a Corda legal name",
        "/members/1/legalName             | \"O=Bank,L=London\" | members[1].legalName: \"O=Bank,L=London\" is not a Corda legal name: Corda X.500 names must include an C",
        "/members/1/legalName             | \"O=B,L=London,C=GB\" | members[1].legalName: \"O=B,L=London,C=GB\" is not a Corda legal name",
        "/members/1/legalName             | \"O=Bank,L=Rome,C=XY\" | members[1].legalName: \"O=Bank,L=Rome,C=XY\" is not a Corda legal name: Invalid country code XY",
        "/members/1/legalName             | \"O=Bank,L=Rome,C=IT,DC=x\" | members[1].legalName: ",
        "/members/1/legalName             | \"L=London, O=Bank 0, C=GB\" | members[1].legalName: is used by another entry too",
        "/members/1/p2pAddress            | \"member-1\"        | members[1].p2pAddress: \"member-1\" is not host:port: Missing port",
        "/members/1/p2pAddress            | \"a b:1\"           | members[1].p2pAddress: \"a b:1\" is not host:port",
        "/members/1/p2pAddress            | \"a:0\"             | members[1].p2pAddress: port must not be 0",
        "/members/1/p2pAddress            | \"a:70000\"         | members[1].p2pAddress: \"a:70000\" is not host:port: Invalid port",
        "/members/1/p2pAddress            | \"member-0:10200\"  | members[1].p2pAddress: is used by another entry too",
        "/notaries                        | \"notary\"          | notaries: must be a list",
        "/notaries/0/members              | []                  | notaries[0].members: must name at least one member",
        "/notaries/0/members/0            | \"nobody\"          | notaries[0].members[0]: no member is called nobody",
        "/notaries/0/members/1            | \"member-0\"        | notaries[0].members[1]: is used by another entry too",
        "/notaries/0/members/1            | \"member-1\"        | notaries[0]: several members need a serviceLegalName",
        "/notaries/0/serviceLegalName     | \"Notary\"          | notaries[0].serviceLegalName: \"Notary\" is not a Corda legal name",
        "/notaries/0/serviceLegalName     | \"O=Bank 1,L=London,C=GB\" | notaries[0].serviceLegalName: is used by another entry too",
        "/notaries/0/member               | \"member-0\"        | notaries[0].member: unknown field",
        "/notaries/0/composite            | true                | notaries[0]: composite needs a serviceLegalName",
        "/notaries/0/validating           |                     | notaries[0].validating: is missing",
        "/notaries/0/validating           | \"false\"           | notaries[0].validating: must be true or false",
        "/notaries/1                      | {\"members\":[\"member-0\"],\"validating\":true} | notaries[1].members[0]: is used by another entry too",
        "/cordapps                        | \"/no/such/folder\" | cordapps: /no/such/folder is not a readable folder",
        "/cordapps                        | 7                   | cordapps: must be a non-empty string",
    })
    void namesTheFieldThatIsWrong(String pointer, String json, String refusal) throws Exception {
        assertRefused(spoil(pointer, json).toString(), refusal);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{} {}", "{\"platformVersion\":12,\"platformVersion\":11}"})
    void refusesWhatIsNotOneJsonObject(String text) throws Exception {
        assertRefused(text, "spec: ");
    }

    @Test
    void refusesAFileThatIsNotThere() {
        InvalidInputException refusal = assertThrows(InvalidInputException.class, () -> SpecReader.read(folder.resolve("none.json")));
        assertTrue(refusal.getMessage().startsWith("spec: cannot read "), refusal.getMessage());
    }

    private void assertRefused(String text, String beginning) throws Exception {
        InvalidInputException refusal = assertThrows(InvalidInputException.class, () -> read(text));
        assertTrue(refusal.getMessage().startsWith(beginning), refusal.getMessage());
        assertFalse(refusal.getMessage().contains("\n"), "one line: " + refusal.getMessage());
    }

    private NetworkSpec read(String text) throws Exception {
        Path file = folder.resolve("genesis.json");
        Files.write(file, text.getBytes("UTF-8"));
        return SpecReader.read(file);
    }

    private static JsonNode spoil(String pointer, String json) throws Exception {
        JsonNode spec = MAPPER.readTree("{\"platformVersion\":11,\"members\":["
                + "{\"name\":\"member-0\",\"legalName\":\"O=Bank 0,L=London,C=GB\",\"p2pAddress\":\"member-0:10200\"},"
                + "{\"name\":\"member-1\",\"legalName\":\"O=Bank 1,L=London,C=GB\",\"p2pAddress\":\"member-1:10200\"}],"
                + "\"notaries\":[{\"members\":[\"member-0\"],\"validating\":false}]}");
        JsonPointer at = JsonPointer.compile(pointer);
        JsonNode parent = spec.at(at.head());
        String name = at.last().getMatchingProperty();
        if (json == null) {
            ((ObjectNode) parent).remove(name);
        } else if (parent.isObject()) {
            ((ObjectNode) parent).set(name, MAPPER.readTree(json));
        } else if (at.last().getMatchingIndex() < parent.size()) {
            ((ArrayNode) parent).set(at.last().getMatchingIndex(), MAPPER.readTree(json));
        } else {
            ((ArrayNode) parent).add(MAPPER.readTree(json));
        }
        return spec;
    }
}
