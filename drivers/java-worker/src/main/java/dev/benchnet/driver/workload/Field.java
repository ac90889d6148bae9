package dev.benchnet.driver.workload;

import com.fasterxml.jackson.databind.JsonNode;
import dev.benchnet.driver.FatalException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** A node of a JSON document with its path, so that every error names its field. */
public final class Field {
    private static final int MAX_SHOWN = 200;

    private final String path;
    private final JsonNode node;

    public Field(String path, JsonNode node) {
        this.path = path;
        this.node = node;
    }

    public Field get(String name) {
        return new Field(path.isEmpty() ? name : path + "." + name, node.path(name));
    }

    public String path() {
        return path;
    }

    public boolean isAbsent() {
        return node.isMissingNode() || node.isNull() || (node.isTextual() && node.textValue().isEmpty());
    }

    public Field requireObject() {
        if (!node.isObject()) {
            throw invalid("must be an object");
        }
        return this;
    }

    public String readText() {
        if (isAbsent() || !node.isTextual()) {
            throw invalid("must be a text that is not empty");
        }
        return node.textValue();
    }

    public String readTextOr(String otherwise) {
        return isAbsent() ? otherwise : readText();
    }

    public boolean readBoolean() {
        if (!isAbsent() && !node.isBoolean()) {
            throw invalid("must be true or false");
        }
        return node.booleanValue();
    }

    public int readInteger(int least) {
        return (int) readInteger(least, Integer.MAX_VALUE);
    }

    public long readInteger(long least, long most) {
        if (!node.isIntegralNumber() || !node.canConvertToLong() || node.longValue() < least || node.longValue() > most) {
            throw invalid("must be a whole number from " + least + " to " + most);
        }
        return node.longValue();
    }

    public double readPositive() {
        if (!node.isNumber() || !(node.doubleValue() > 0) || Double.isInfinite(node.doubleValue())) {
            throw invalid("must be a number above zero");
        }
        return node.doubleValue();
    }

    public double readNonNegative() {
        if (!node.isNumber() || !(node.doubleValue() >= 0) || Double.isInfinite(node.doubleValue())) {
            throw invalid("must be a number of at least zero");
        }
        return node.doubleValue();
    }

    public <E extends Enum<E>> E readEnum(Class<E> type) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(node.textValue())) {
                return constant;
            }
        }
        throw invalid("must be one of " + Arrays.toString(type.getEnumConstants()));
    }

    /** Returns the elements of a list; an absent list is empty. */
    public <T> List<T> readList(Function<Field, T> read) {
        if (!isAbsent() && !node.isArray()) {
            throw invalid("must be a list");
        }
        List<T> values = new ArrayList<>();
        for (int i = 0; i < node.size(); i++) {
            values.add(read.apply(new Field(path + "[" + i + "]", node.get(i))));
        }
        return values;
    }

    public FatalException invalid(String complaint) {
        String is = node.isMissingNode() ? "is missing" : "is " + node;
        is = is.length() <= MAX_SHOWN ? is : is.substring(0, MAX_SHOWN) + "…";
        return new FatalException((path.isEmpty() ? "workload" : path) + ": " + complaint + ", but " + is);
    }
}
