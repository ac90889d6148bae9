package dev.benchnet.driver.corda.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.workload.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadTest {
    private static final String VALID = "{'targets':[{'name':'member-0','address':'host:10201','identity':'O=Bank 0,L=London,C=GB',"
            + "'user':'benchnet','passwordFile':'PASSWORD'}],"
            + "'operation':{'notary':'O=Notary,L=London,C=GB','parties':['O=Bank 0,L=London,C=GB'],'flow':'Pay','amount':7,'arguments':[{'type':'Int','value':'1'}]},"
            + "'load':{'model':'Closed','clients':10,'maxOutstanding':4},"
            + "'measure':{'warmUpSeconds':30,'windowSeconds':60,'drainSeconds':20},'keepJtl':false,'reference':'run-1','observe':[]}";

    @TempDir
    Path folder;

    private Workload read(String json, Worker worker) throws IOException {
        Path file = folder.resolve("workload.json");
        Files.write(file, json.replace('\'', '"').getBytes("UTF-8"));
        return Workload.read(file, worker);
    }

    @Test
    void readsEveryFieldAndItsDefault() throws IOException {
        Path password = folder.resolve("password");
        Files.write(password, "secret\n".getBytes("UTF-8"));

        Workload workload = read(VALID.replace("PASSWORD", password.toString()), new Worker(0, 3));

        Target target = workload.directory.targets.get(0);
        assertEquals("member-0 host:10201 O=Bank 0,L=London,C=GB benchnet secret",
                String.join(" ", target.name, target.address, target.party, target.user, target.password()));
        assertEquals("O=Notary,L=London,C=GB", workload.directory.notary);
        assertEquals("Pay", workload.operations.get(0).flow);
        assertEquals("operation Pay", workload.operations.get(0).field + " " + workload.operations.get(0).name);
        assertEquals(7, workload.operations.get(0).amount);
        assertEquals("USD", workload.operations.get(0).currency.getCurrencyCode());
        assertFalse(workload.operations.get(0).anonymous);
        assertNull(workload.counterparty);
        assertEquals("Int", workload.operations.get(0).arguments.get(0).type);
        assertNull(workload.operations.get(0).setUp);
        assertEquals(0, workload.phaseSamplePercent);
        assertEquals(60, workload.measure.windowSeconds);
        assertEquals("run-1", workload.reference);
        assertEquals(4, workload.workerClients(), "10 clients over 3 workers: 4, 3, 3");
        assertEquals(2, workload.workerMaxOutstanding(), "4 flows over 3 workers: 2, 1, 1");
    }

    @Test
    void readsTheSetUp() throws IOException {
        String setUp = "'setUp':{'flow':'x.Prepare','arguments':[{'type':'Int','value':'10'}]},'amount':7";
        FlowSpec read = read(VALID.replace("'amount':7", setUp), new Worker(0, 1)).operations.get(0).setUp;

        assertEquals("x.Prepare 10", read.flow + " " + read.arguments.get(0).value);
    }

    @Test
    void readsTheMix() throws IOException {
        String mix = "'mix':[{'name':'issue','weight':1,'flow':'Issue','amount':7},{'name':'agree','weight':4,'flow':'x.Agree','data':'/d.csv','seed':5}]";
        Workload workload = read(VALID.replace("'flow':'Pay','amount':7", mix), new Worker(0, 1));

        assertEquals("[issue, agree]", workload.mix.names.toString());
        OperationSpec issue = workload.operations.get(0);
        assertEquals("operation.mix[0] issue Issue 7", issue.field + " " + issue.name + " " + issue.flow + " " + issue.amount);
        assertEquals("x.Agree 5", workload.operations.get(1).flow + " " + workload.operations.get(1).seed);
        assertEquals("/d.csv", workload.data().toString());
    }

    @Test
    void noMoreFlowsAreInFlightThanThereAreClients() throws IOException {
        Worker alone = new Worker(0, 1);
        assertEquals(10, read(VALID.replace("'maxOutstanding':4", "'maxOutstanding':800"), alone).workerMaxOutstanding());
        assertEquals(10, read(VALID.replace(",'maxOutstanding':4", ""), alone).workerMaxOutstanding());
    }

    /** Each row: text in the valid document, its replacement, and the expected error. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "host:10201                | host                | targets[0].address: must be host:port, but is \"host\"",
        "'user':'benchnet',        | ``                  | targets[0].user: must be a text that is not empty, but is missing",
        "'model':'Closed'          | 'model':'closed'    | load.model: must be one of [Closed, Open], but is \"closed\"",
        "'model':'Closed'          | 'model':'Open'      | load.ratePerSecond: must be set if, and only if, load.rates is not, but is missing",
        "'clients':10              | 'clients':0         | load.clients: must be a whole number from 1 to 2147483647, but is 0",
        "'clients':10              | 'clients':'10'      | load.clients: must be a whole number from 1 to 2147483647, but is \"10\"",
        "'windowSeconds':60        | 'windowSeconds':0.5 | measure.windowSeconds: must be a whole number from 1 to 2147483647, but is 0.5",
        "'warmUpSeconds':30        | 'warmUpSeconds':-1  | measure.warmUpSeconds: must be a whole number from 0 to 2147483647, but is -1",
        "'amount':7                | 'currency':'EURO'   | operation.currency: must be an ISO 4217 currency code such as USD, but is \"EURO\"",
        "'amount':7                | 'amount':0          | operation.amount: must be a whole number from 1 to 100000000, but is 0",
        "'amount':7                | 'anonymous':'yes'   | operation.anonymous: must be true or false, but is \"yes\"",
        "'type':'Int'              | 'kind':'Int'        | operation.arguments[0].type: must be a text that is not empty, but is missing",
        "'amount':7                | 'setUp':{}          | operation.setUp.flow: must be a text that is not empty, but is missing",
        "'reference':'run-1'       | 'reference':''      | reference: must be a text that is not empty, but is \"\"",
        "'parties':['O=Bank 0,L=London,C=GB'] | 'parties':'x' | operation.parties: must be a list, but is \"x\"",
    })
    void complaintsNameTheField(String part, String replacement, String complaint) {
        assertTrue(VALID.contains(part), "the row replaces nothing");
        FatalException error = assertThrows(FatalException.class,
                () -> read(VALID.replace(part, replacement), new Worker(0, 1)));
        assertEquals(complaint, error.getMessage());
    }

    @Test
    void everyWorkerNeedsAClientOfItsOwn() {
        FatalException error = assertThrows(FatalException.class, () -> read(VALID, new Worker(0, 5)));
        assertEquals("load: each of the 5 workers needs a client and an outstanding operation of its own, but is "
                + "{\"model\":\"Closed\",\"clients\":10,\"maxOutstanding\":4}", error.getMessage());
    }

    @Test
    void saysWhereADocumentIsNotJson() {
        FatalException error = assertThrows(FatalException.class, () -> read("{'a': }", new Worker(0, 1)));
        assertEquals("workload " + folder.resolve("workload.json") + " is not JSON: see line 1, column 8",
                error.getMessage());
    }

    @Test
    void aMissingPasswordIsNamedWithItsMember() throws IOException {
        Target target = read(VALID.replace("PASSWORD", "/nonexistent/password"), new Worker(0, 1)).directory.targets.get(0);
        FatalException error = assertThrows(FatalException.class, target::password);
        assertEquals("targets: read the RPC password of member-0 from /nonexistent/password: there is no such file",
                error.getMessage());
    }
}
