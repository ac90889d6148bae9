package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.DataTable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The text of an argument, with placeholders that each operation replaces. README.md lists them. */
final class Template {
    /** The escape, or a placeholder whose end may be missing. */
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\$\\{|\\$\\{([^}]*)(}?)");
    private static final Pattern RANDOM = Pattern.compile("random:(-?\\d{1,15}):(-?\\d{1,15})");
    /** Keeps the places of different arguments apart. */
    private static final int PLACES_PER_ARGUMENT = 1 << 16;

    /** A literal or a placeholder. */
    private interface Part {
        String render(OperationInput input);
    }

    private final List<Part> parts = new ArrayList<>();
    private final List<String> columns = new ArrayList<>();
    private boolean varies;

    private Template() { }

    /** Returns the template of a text without placeholders. */
    static Template literal(String text) {
        Template template = new Template();
        template.parts.add(input -> text);
        return template;
    }

    /**
     * Parses the text of the argument with this index. The data may be null. Throws an IllegalArgumentException with a
     * reason if a placeholder is wrong.
     */
    static Template parse(String text, int argument, DataTable data) {
        Template template = new Template();
        Matcher matcher = PLACEHOLDER.matcher(text);
        int literalFrom = 0;
        while (matcher.find()) {
            template.addLiteral(text.substring(literalFrom, matcher.start()));
            literalFrom = matcher.end();
            if (matcher.group(1) == null) {
                template.addLiteral("${");
            } else if (matcher.group(2).isEmpty()) {
                throw new IllegalArgumentException("it has no } after " + matcher.group() + "; write $${ for a literal ${");
            } else {
                template.addPlaceholder(matcher.group(1), argument * PLACES_PER_ARGUMENT + template.parts.size(), data);
            }
        }
        template.addLiteral(text.substring(literalFrom));
        return template;
    }

    private void addLiteral(String text) {
        if (!text.isEmpty()) {
            parts.add(input -> text);
        }
    }

    private void addPlaceholder(String name, int place, DataTable data) {
        varies = true;
        if (name.equals("counter")) {
            parts.add(input -> Long.toString(input.counter));
        } else if (name.equals("client")) {
            parts.add(input -> Long.toString(input.client));
        } else if (name.equals("worker")) {
            parts.add(input -> Integer.toString(input.worker));
        } else if (name.startsWith("random:")) {
            addRandom(name, place);
        } else if (name.startsWith("csv:")) {
            addColumn(name.substring("csv:".length()), data);
        } else {
            throw new IllegalArgumentException("it has the unknown placeholder ${" + name + "}; known are ${counter}, ${client},"
                    + " ${worker}, ${random:FROM:TO} and ${csv:COLUMN}; write $${ for a literal ${");
        }
    }

    private void addRandom(String name, int place) {
        Matcher bounds = RANDOM.matcher(name);
        if (!bounds.matches() || Long.parseLong(bounds.group(1)) > Long.parseLong(bounds.group(2))) {
            throw new IllegalArgumentException("${" + name + "} must have two whole numbers of at most 15 digits,"
                    + " the lower one first, such as ${random:1:100}");
        }
        long low = Long.parseLong(bounds.group(1));
        long high = Long.parseLong(bounds.group(2));
        parts.add(input -> Long.toString(input.draw(place, low, high)));
    }

    private void addColumn(String name, DataTable data) {
        if (data == null) {
            throw new IllegalArgumentException("${csv:" + name + "} needs data");
        }
        int column = data.columnIndex(name);
        columns.add(name);
        parts.add(input -> data.cell(input.counter, column));
    }

    /** Reports whether operations may get different texts. */
    boolean varies() {
        return varies;
    }

    /** Returns the columns of the data that the text uses. */
    List<String> columns() {
        return columns;
    }

    String render(OperationInput input) {
        return parts.stream().map(part -> part.render(input)).collect(Collectors.joining());
    }
}
