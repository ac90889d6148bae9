package dev.benchnet.driver.workload;

import com.fasterxml.jackson.databind.JsonNode;
import dev.benchnet.driver.FatalException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** A node of a JSON document with its path, so that every error names its field. */
public final class Field {
    private final String path;
    private final JsonNode node;

    public Field(String path, JsonNode node) {
        this.path = path;
        this.node = node;
    }

    public Field get(String name) {
        return new Field(path.isEmpty() ? name : path + "." + name, node.path(name));
    }

    public boolean absent() {
        return node.isMissingNode() || node.isNull() || (node.isTextual() && node.textValue().isEmpty());
    }

    public Field object() {
        if (!node.isObject()) {
            throw wrong("must be an object");
        }
        return this;
    }

    public String text() {
        if (absent() || !node.isTextual()) {
            throw wrong("must be a text that is not empty");
        }
        return node.textValue();
    }

    public String textOr(String otherwise) {
        return absent() ? otherwise : text();
    }

    public boolean flag() {
        if (!absent() && !node.isBoolean()) {
            throw wrong("must be true or false");
        }
        return node.booleanValue();
    }

    public int integer(int least) {
        return (int) integer(least, Integer.MAX_VALUE);
    }

    public long integer(long least, long most) {
        if (!node.isIntegralNumber() || !node.canConvertToLong() || node.longValue() < least || node.longValue() > most) {
            throw wrong("must be a whole number from " + least + " to " + most);
        }
        return node.longValue();
    }

    public double positive() {
        if (!node.isNumber() || !(node.doubleValue() > 0) || Double.isInfinite(node.doubleValue())) {
            throw wrong("must be a number above zero");
        }
        return node.doubleValue();
    }

    public <E extends Enum<E>> E oneOf(Class<E> type) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(node.textValue())) {
                return constant;
            }
        }
        throw wrong("must be one of " + Arrays.toString(type.getEnumConstants()));
    }

    /** Returns the elements of a list; an absent list is empty. */
    public <T> List<T> list(Function<Field, T> read) {
        if (!absent() && !node.isArray()) {
            throw wrong("must be a list");
        }
        List<T> values = new ArrayList<>();
        for (int i = 0; i < node.size(); i++) {
            values.add(read.apply(new Field(path + "[" + i + "]", node.get(i))));
        }
        return values;
    }

    public FatalException wrong(String complaint) {
        String is = node.isMissingNode() ? "is missing" : "is " + node;
        return new FatalException((path.isEmpty() ? "workload" : path) + ": " + complaint + ", but " + is);
    }
}
