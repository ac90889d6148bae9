package dev.benchnet.driver.corda;

import static java.util.Collections.emptyList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.benchnet.driver.corda.workload.Workload;
import dev.benchnet.driver.workload.Worker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MixedOperationsTest {
    private static final String FLOW = "'flow':'dev.benchnet.driver.corda.ExampleFlow','arguments':[{'type':'Int','value':'1'},{'type':'Party','value':'self'}]";
    private static final String USERS = "{'name':'own','weight':1," + FLOW + ",'setUp':{" + FLOW + "}}";

    @TempDir
    Path folder;

    /** Returns the workload of an operation in JSON with single quotes. */
    private Workload workload(String operation) throws IOException {
        Path file = folder.resolve("workload.json");
        String json = "{'targets':[{'name':'member-0','address':'host:1','identity':'O=Bank 0,L=London,C=GB','user':'u','passwordFile':'p'}],"
                + "'operation':{'parties':[]," + operation + "},'load':{'model':'Closed','clients':10},"
                + "'measure':{'warmUpSeconds':0,'windowSeconds':60,'drainSeconds':20},'reference':'run-1'}";
        Files.write(file, json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return Workload.read(file, new Worker(0, 1));
    }

    private List<Operation> operations(String operation) throws IOException {
        return OperationFactory.create(workload(operation), null).apply(new Members(emptyList()));
    }

    private static String reference(Operation operation) {
        return new String(((CashOperation) operation).reference(FlowPurpose.Window).getBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void cashOfEachKindHasAReferenceOfItsOwn() throws IOException {
        List<Operation> mix = operations("'mix':[{'name':'issue','weight':1,'flow':'Issue'},{'name':'both','weight':1,'flow':'IssueAndPay'}]");
        assertEquals("run-1/0/Window/issue", reference(mix.get(0)));
        assertEquals("run-1/0/Window/both", reference(mix.get(1)));
        assertEquals("run-1/0/Window", reference(operations("'flow':'Issue'").get(0)));
    }

    @Test
    void cashMayVanishOnlyByFlowsOfTheUser() throws IOException {
        String issues = "'mix':[{'name':'issue','weight':1,'flow':'Issue'},{'name':'more','weight':1,'flow':'Issue','amount':7}]";
        assertTrue(((CashOperation) operations(issues).get(0)).mustBeHeld());
        List<Operation> withFlow = operations("'mix':[{'name':'issue','weight':1,'flow':'Issue'}," + USERS + "]");
        assertFalse(((CashOperation) withFlow.get(0)).mustBeHeld());
    }

    @Test
    void setUpsAreNamedByTheirFields() throws IOException {
        Workload mix = workload("'mix':[{'name':'issue','weight':1,'flow':'Issue'}," + USERS + "]");
        assertEquals("[operation.mix[1].setUp]", OperationFactory.createSetUps(mix, null).keySet().toString());
    }
}
