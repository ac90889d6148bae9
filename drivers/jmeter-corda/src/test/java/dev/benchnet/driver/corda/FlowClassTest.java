package dev.benchnet.driver.corda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.corda.workload.Argument;
import dev.benchnet.driver.corda.workload.DataTable;
import dev.benchnet.driver.workload.Worker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlowClassTest {
    private static final String EXAMPLE = ExampleFlow.class.getName();

    @TempDir
    Path folder;

    @BeforeAll
    static void loadProperties() {
        JMeterUtils.loadJMeterProperties("target/driver/jmeter/bin/jmeter.properties");
    }

    /** {@code words} alternates types and values. */
    private static List<Argument> arguments(String... words) {
        List<Argument> arguments = new ArrayList<>();
        for (int i = 0; i < words.length; i += 2) {
            arguments.add(new Argument(words[i], words[i + 1]));
        }
        return arguments;
    }

    private static OperationInputs inputs(DataTable data) {
        return new OperationInputs(new Worker(0, 1), 0, data);
    }

    private DataTable data(String csv) throws IOException {
        Path file = folder.resolve("data.csv");
        Files.write(file, csv.getBytes(StandardCharsets.UTF_8));
        return DataTable.read(file);
    }

    private static String bindFailure(String flow, String... words) {
        return assertThrows(FatalException.class, () -> new FlowClass("operation", flow, arguments(words), inputs(null))).getMessage();
    }

    @Test
    void argumentsFitPrimitiveAndBoxedParameters() {
        Object[] values = new FlowClass("operation", EXAMPLE, arguments("Long", "7", "Boolean", "true", "Amount", "1.50 USD"),
                inputs(null)).nextValues(null, null, 0);

        assertEquals(7L, values[0]);
        assertEquals(true, values[1]);
        assertEquals("1.50 USD", values[2].toString());
        assertEquals(ExampleFlow.class, new FlowClass("operation", EXAMPLE, arguments("Int", "7", "Party", "counterparty"), null).type);
    }

    @Test
    void eachOperationHasItsOwnValues() throws IOException {
        FlowClass flow = new FlowClass("operation", EXAMPLE, arguments("Long", "1${counter}", "Boolean", "${csv:flag}",
                "Amount", "${random:5:9}.50 ${csv:currency}"), inputs(data("flag,currency\ntrue,USD\nfalse,EUR\n")));
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            seen.add(Arrays.toString(flow.nextValues(null, null, 0)).replaceAll("[5-9].50", "n"));
        }
        assertEquals("[[10, true, n USD], [11, false, n EUR], [12, true, n USD]]", seen.toString());
    }

    @Test
    void everyRowIsCheckedBeforeTheStart() throws IOException {
        DataTable data = data("amount,currency\n1,USD\n2,EUR\n-3,EUR\n");
        List<Argument> arguments = arguments("Long", "1", "Boolean", "true", "Amount", "${csv:amount} ${csv:currency}");
        assertEquals("operation.arguments[2].value (column \"amount\", \"currency\", row 3): \"-3 EUR\" is not of type Amount:"
                + " an amount is a number and a currency, such as 100.50 USD",
                assertThrows(FatalException.class, () -> new FlowClass("operation", EXAMPLE, arguments, inputs(data))).getMessage());
        assertEquals("operation.arguments[0].value: \"${csv:bank}\": the data has no column \"bank\"; it has amount, currency",
                assertThrows(FatalException.class,
                        () -> new FlowClass("operation", EXAMPLE, arguments("Long", "${csv:bank}"), inputs(data))).getMessage());
    }

    @Test
    void argumentsOfACustomPlanAreLiteral() {
        assertEquals("operation.arguments[0].value: \"${counter}\" is not of type Int: For input string: \"${counter}\"",
                assertThrows(FatalException.class,
                        () -> new FlowClass("operation", EXAMPLE, arguments("Int", "${counter}"), null)).getMessage());
    }

    @Test
    void aFlowMustBeAClassThatRpcCanStart() {
        assertEquals("operation.flow: \"no.Such\" is neither Issue, IssueAndPay or Pay nor a class in the CorDapps folder"
                + " (an inner class is written Outer$Inner)", bindFailure("no.Such"));
        assertEquals("operation.flow: java.lang.String is not a flow: it does not extend FlowLogic",
                bindFailure("java.lang.String"));
        assertEquals("operation.flow: " + EXAMPLE + "$Inner cannot be started over RPC: it is not @StartableByRPC",
                bindFailure(EXAMPLE + "$Inner"));
    }

    @Test
    void errorsNameTheFieldOfTheFlow() {
        assertEquals("operation.setUp.flow: java.lang.String is not a flow: it does not extend FlowLogic",
                assertThrows(FatalException.class, () -> new FlowClass("operation.setUp", "java.lang.String", arguments(), null))
                        .getMessage());
        assertEquals("operation.setUp.arguments[0].value: \"x\" is not of type Int: For input string: \"x\"",
                assertThrows(FatalException.class, () -> new FlowClass("operation.setUp", EXAMPLE, arguments("Int", "x"), null))
                        .getMessage());
    }

    @Test
    void aConstructorMustTakeTheTypes() {
        assertEquals("operation.arguments: " + EXAMPLE + " has no constructor with parameters [Long, Party];"
                + " it has (Long, boolean, Amount) (int, Party)", bindFailure(EXAMPLE, "Long", "7", "Party", "self"));
        assertEquals("operation.arguments: " + EXAMPLE + " has no constructor with parameters [Int];"
                + " it has (Long, boolean, Amount) (int, Party)", bindFailure(EXAMPLE, "Int", "7"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "Int      | 1.5              | For input string: \"1.5\"",
        "Int      | 3000000000       | For input string: \"3000000000\"",
        "Boolean  | yes              | it is neither true nor false",
        "Amount   | USD 1            | an amount is a number and a currency, such as 100.50 USD",
        "Amount   | -1 USD           | an amount is a number and a currency, such as 100.50 USD",
        "StateRef | AB               | a state reference is a transaction id and an output, such as A0B1…(0)",
        "Party    | Bank 1           | improperly specified input name: Bank 1",
        "Instant  | yesterday        | Text 'yesterday' could not be parsed at index 0",
        "UUID     | 1                | Invalid UUID string: 1",
    })
    void aValueMustBeOfItsType(String type, String value, String reason) {
        assertEquals("operation.arguments[1].value: \"" + value + "\" is not of type " + type + ": " + reason,
                bindFailure(EXAMPLE, "Long", "1", type, value));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "String           | some text | some text",
        "Double           | 1.5       | 1.5",
        "Decimal          | 1.50      | 1.50",
        "Instant          | 2026-01-31T12:00:00Z | 2026-01-31T12:00:00Z",
        "Currency         | EUR       | EUR",
        "OpaqueBytes      | AZ        | [415A]",
        "X500Name         | O=Bank 1,L=London,C=GB | O=Bank 1, L=London, C=GB",
        "UniqueIdentifier | 936da01f-9abd-4d9d-80c7-02af85c822a8 | 936da01f-9abd-4d9d-80c7-02af85c822a8",
        "StateRef | 0000000000000000000000000000000000000000000000000000000000000000(2)"
            + " | 0000000000000000000000000000000000000000000000000000000000000000(2)",
    })
    void valuesAreReadAsTheyAreWritten(ArgumentType type, String text, String read) {
        assertEquals(read, type.parse(text).toString());
    }

    @Test
    void errorOfAnUnknownTypeListsTheKnownOnes() {
        String complaint = bindFailure(EXAMPLE, "Money", "1");
        assertEquals("operation.arguments[0].type: must be one of [String, Int, Long, ", complaint.substring(0, 64));
        assertEquals("but is \"Money\"", complaint.substring(complaint.length() - 14));
    }
}
