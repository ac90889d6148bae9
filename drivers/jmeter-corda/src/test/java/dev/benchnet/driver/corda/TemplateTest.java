package dev.benchnet.driver.corda;

import static java.util.Collections.singletonList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.benchnet.driver.corda.workload.Argument;
import dev.benchnet.driver.workload.Worker;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class TemplateTest {
    /** The operator checks the same cases at admission. */
    @TestFactory
    Iterable<DynamicTest> sharedCases() throws IOException {
        JsonNode cases = new ObjectMapper().readTree(new File("../testdata/argument-templates.json"));
        return () -> StreamSupport.stream(cases.spliterator(), false).map(each -> DynamicTest.dynamicTest(
                each.get("type").textValue() + " " + each.get("value").textValue(), () -> check(each))).iterator();
    }

    private static void check(JsonNode each) {
        ArgumentType type = ArgumentType.valueOf(each.get("type").textValue());
        String value = each.get("value").textValue();
        if (each.has("low")) {
            Template template = Template.parse(value, 0, null);
            assertEquals(each.get("low").textValue(), renderExtreme(template, type, false));
            assertEquals(each.get("high").textValue(), renderExtreme(template, type, true));
            return;
        }
        OperationInputs inputs = new OperationInputs(new Worker(0, 1), 0, null);
        Exception error = assertThrows(RuntimeException.class, () -> new FlowClass("operation", ExampleFlow.class.getName(),
                singletonList(new Argument(type.name(), value)), inputs));
        assertTrue(error.getMessage().contains(each.get("error").textValue()), error.getMessage());
        assertFalse(error.getMessage().contains("has no constructor"), "the value is refused, not only the type");
    }

    private static String renderExtreme(Template template, ArgumentType type, boolean highest) {
        String text = template.render(OperationInput.extreme(0, highest));
        type.parse(text);
        return text;
    }

    @Test
    void numbersOfAllWorkersAndClientsDiffer() {
        Template template = Template.parse("${counter}", 0, null);
        Set<String> seen = new HashSet<>();
        for (int worker = 0; worker < 3; worker++) {
            OperationInputs inputs = new OperationInputs(new Worker(worker, 3), 0, null);
            for (int i = 0; i < 100; i++) {
                seen.add(template.render(inputs.next(i % 7)));
            }
        }
        assertEquals(300, seen.size());
        assertTrue(seen.contains("0") && seen.contains("299"));
    }

    @Test
    void clientsAreNumberedOverAllWorkers() {
        OperationInputs second = new OperationInputs(new Worker(1, 3), 0, null);
        assertEquals("7 of worker 1", Template.parse("${client} of worker ${worker}", 0, null).render(second.next(2)));
    }

    /** The values are part of the result's reproducibility: they must not change with the version of the driver. */
    @Test
    void randomValuesDependOnlyOnSeedOperationAndPlace() {
        Template template = Template.parse("${random:1:1000}", 1, null);
        assertEquals("350 954 595", template.render(new OperationInput(0, 0, 0, 7)) + " "
                + template.render(new OperationInput(1, 5, 2, 7)) + " " + template.render(new OperationInput(1, 0, 0, 8)));
        assertEquals(template.render(new OperationInput(4, 0, 0, 7)), template.render(new OperationInput(4, 3, 1, 7)));
        Template two = Template.parse("${random:1:1000000} ${random:1:1000000}", 0, null);
        String[] drawn = two.render(new OperationInput(0, 0, 0, 7)).split(" ");
        assertFalse(drawn[0].equals(drawn[1]), "places draw independently");
    }

    @Test
    void randomValuesAreUniform() {
        Template template = Template.parse("${random:-2:2}", 0, null);
        int[] counts = new int[5];
        for (int i = 0; i < 50_000; i++) {
            counts[Integer.parseInt(template.render(new OperationInput(i, 0, 0, 0))) + 2]++;
        }
        for (int count : counts) { // The standard deviation is 89.
            assertEquals(10_000, count, 450, Arrays.toString(counts));
        }
    }

    @Test
    void knowsWhetherOperationsDiffer() {
        assertFalse(Template.parse("$${counter}", 0, null).varies());
        assertTrue(Template.parse("${worker}", 0, null).varies());
        assertFalse(Template.literal("${counter}").varies());
    }
}
