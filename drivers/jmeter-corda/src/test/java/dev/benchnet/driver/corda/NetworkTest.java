package dev.benchnet.driver.corda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.corda.workload.Directory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.corda.core.identity.CordaX500Name;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworkTest {
    private static final String A = "O=Bank A,L=London,C=GB";
    private static final String B = "O=Bank B,L=London,C=GB";
    private static final String C = "O=Bank C,L=London,C=GB";

    @TempDir
    Path folder;

    private Network network(String counterparty, String... parties) throws IOException {
        Path file = folder.resolve("workload.json");
        String json = "{'targets':[{'name':'a','address':'h:1','identity':'" + A + "','user':'u','passwordFile':'p'}],"
                + "'operation':{'parties':['" + String.join("','", parties) + "']}}";
        Files.write(file, json.replace('\'', '"').getBytes("UTF-8"));
        return new Network(Directory.read(file), counterparty);
    }

    private static Member member(String legalName) {
        return new Member(legalName, CordaX500Name.parse(legalName), null);
    }

    @Test
    void theNextPartyIsPaidAndTheLastPaysTheFirst() throws IOException {
        Network network = network(null, A, B, C);
        assertEquals(CordaX500Name.parse(B), network.counterpartyName(member("L=London, C=GB, O=Bank A")));
        assertEquals(CordaX500Name.parse(A), network.counterpartyName(member(C)));
    }

    @Test
    void aNamedCounterpartyIsPaidByAll() throws IOException {
        Network network = network(C, A, B, C);
        assertEquals(CordaX500Name.parse(C), network.counterpartyName(member(A)));
        assertEquals(CordaX500Name.parse(C), network.counterpartyName(member(B)));
        assertThrows(FatalException.class, () -> network.counterpartyName(member(C)));
    }

    @Test
    void refusesAMemberAsItsOwnCounterparty() throws IOException {
        FatalException error = assertThrows(FatalException.class, () -> network(null, A).counterpartyName(member(A)));
        assertEquals("operation.counterparty: " + A + " cannot be its own; name another party", error.getMessage());
    }

    @Test
    void aNetworkWithoutNotaryIsNamed() throws IOException {
        FatalException error = assertThrows(FatalException.class, () -> network(null, A, B).notary(member(A)));
        assertEquals("notary: the operation needs a notary, but the network has none", error.getMessage());
    }
}
