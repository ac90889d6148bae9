package dev.benchnet.driver.corda.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.benchnet.driver.FatalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataTableTest {
    @TempDir
    Path folder;

    @BeforeAll
    static void loadProperties() {
        JMeterUtils.loadJMeterProperties("target/driver/jmeter/bin/jmeter.properties");
    }

    private DataTable read(String csv) throws IOException {
        Path file = folder.resolve("data.csv");
        Files.write(file, csv.getBytes(StandardCharsets.UTF_8));
        return DataTable.read(file);
    }

    @Test
    void rowsAreUsedInTurn() throws IOException {
        DataTable data = read("\uFEFF\"bank\",amount\r\n\"O=Bank 1,L=London,C=GB\",1\r\n\r\nZürich,\r\n");
        assertEquals(2, data.rowCount());
        assertEquals("O=Bank 1,L=London,C=GB", data.cell(0, data.columnIndex("bank")));
        assertEquals("Zürich", data.cell(1, 0));
        assertEquals("", data.cell(3_000_000_001L, data.columnIndex("amount")));
        assertEquals("309b0e45a73d3fc5325e2b6ed0a01ef8b9cde6b05a5633c1f893f970d52bfddc", read("a\n1\n").sha256);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "a,b            | operation.data: must have a header and at least one row below it",
        "''             | operation.data: must have a header and at least one row below it",
        "a,a;1,2        | operation.data: the columns of the header must differ, but are [a, a]",
        "a,b;1,2;3      | operation.data: row 2 has 1 cells, but the header has 2",
        "a,b;1,2;3,\"x  | operation.data: row 2 is not CSV: a quotation mark is missing or in the wrong place",
        "a\"b           | operation.data: the header is not CSV: a quotation mark is missing or in the wrong place",
    })
    void errorsNameTheRow(String lines, String error) {
        assertEquals(error, assertThrows(FatalException.class, () -> read(lines.replace(';', '\n'))).getMessage());
    }

    @Test
    void aMissingFileIsNamed() {
        Path file = folder.resolve("none.csv");
        assertEquals("operation.data: read " + file + ": there is no such file",
                assertThrows(FatalException.class, () -> DataTable.read(file)).getMessage());
    }
}
