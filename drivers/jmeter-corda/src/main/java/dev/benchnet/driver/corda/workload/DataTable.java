package dev.benchnet.driver.corda.workload;

import dev.benchnet.driver.FatalException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.apache.jmeter.save.CSVSaveService;

/** The CSV file of a workload: a header and at least one row. Blank lines do not count. */
public final class DataTable {
    private static final String FIELD = "operation.data";
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    /** SHA-256 of the file, hexadecimal. */
    public final String sha256;
    private final List<String> columns;
    private final List<String[]> rows;

    private DataTable(String sha256, List<String[]> lines) {
        if (lines.size() < 2) {
            throw new FatalException(FIELD + ": must have a header and at least one row below it");
        }
        this.sha256 = sha256;
        columns = Arrays.asList(lines.get(0));
        rows = lines.subList(1, lines.size());
        if (new HashSet<>(columns).size() < columns.size()) {
            throw new FatalException(FIELD + ": the columns of the header must differ, but are " + columns);
        }
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).length != columns.size()) {
                throw new FatalException(FIELD + ": row " + (i + 1) + " has " + rows.get(i).length
                        + " cells, but the header has " + columns.size());
            }
        }
    }

    /** Reads a file in UTF-8. JMeter's properties must be loaded, because its parser needs them. */
    public static DataTable read(Path file) {
        try {
            byte[] content = Files.readAllBytes(file);
            return new DataTable(sha256(content), readLines(new String(content, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new FatalException(FIELD + ": read " + file, e);
        }
    }

    private static List<String[]> readLines(String text) {
        BufferedReader reader = new BufferedReader(new StringReader(text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text));
        List<String[]> lines = new ArrayList<>();
        for (String[] line = readLine(reader, 1); line.length > 0; line = readLine(reader, lines.size() + 1)) {
            if (line.length > 1 || !line[0].isEmpty()) {
                lines.add(line);
            }
        }
        return lines;
    }

    private static String[] readLine(BufferedReader reader, int number) {
        try {
            return CSVSaveService.csvReadFile(reader, ',');
        } catch (IOException e) { // Its message has the rest of the file.
            throw new FatalException(FIELD + ": " + (number == 1 ? "the header" : "row " + (number - 1))
                    + " is not CSV: a quotation mark is missing or in the wrong place");
        }
    }

    private static String sha256(byte[] content) {
        try {
            return String.format("%064x", new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(content)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }

    /** Returns the number of rows below the header. */
    public int rowCount() {
        return rows.size();
    }

    /** Returns the index of a column. Throws an IllegalArgumentException if there is none of this name. */
    public int columnIndex(String name) {
        int index = columns.indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException("the data has no column \"" + name + "\"; it has " + String.join(", ", columns));
        }
        return index;
    }

    /** Returns a cell of the row that an operation uses: its number modulo the rows. */
    public String cell(long operation, int column) {
        return rows.get((int) (operation % rows.size()))[column];
    }
}
