package dev.benchnet.genesis;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** A value of {@code genesis.json} with its path, so that every error names its field. */
final class Field {
    final String path;
    private final JsonNode value;

    private Field(String path, JsonNode value) {
        this.path = path;
        this.value = value;
    }

    /** Returns the document itself; its fields have no prefix. */
    static Field root(JsonNode document) {
        return new Field("", document);
    }

    /** Rejects unknown fields: a misspelt field must not silently fall back to its default. */
    Field rejectUnknown(String... names) throws InvalidInputException {
        require(value.isObject(), "must be an object");
        Collection<String> known = Arrays.asList(names);
        for (Iterator<String> given = value.fieldNames(); given.hasNext(); ) {
            String name = given.next();
            if (!known.contains(name)) {
                throw child(name).invalid("unknown field; known here: " + String.join(", ", known));
            }
        }
        return this;
    }

    /** Returns the named field; throws InvalidInputException if it is missing. */
    Field get(String name) throws InvalidInputException {
        return find(name).orElseThrow(() -> child(name).invalid("is missing"));
    }

    /** Returns the named field; empty if it is absent or null. */
    Optional<Field> find(String name) {
        return value.hasNonNull(name) ? Optional.of(child(name)) : Optional.empty();
    }

    /** Returns a whole number from {@code min} to {@code max}. */
    int readInteger(int min, int max) throws InvalidInputException {
        boolean fits = value.isIntegralNumber() && value.canConvertToInt() && value.intValue() >= min && value.intValue() <= max;
        require(fits, "must be a whole number from " + min + " to " + max + ", not " + value);
        return value.intValue();
    }

    String readText() throws InvalidInputException {
        require(value.isTextual() && !value.textValue().trim().isEmpty(), "must be a non-empty string");
        return value.textValue();
    }

    boolean readFlag() throws InvalidInputException {
        require(value.isBoolean(), "must be true or false");
        return value.booleanValue();
    }

    List<Field> readList() throws InvalidInputException {
        require(value.isArray(), "must be a list");
        List<Field> elements = new ArrayList<>();
        for (JsonNode element : value) {
            elements.add(new Field(path + "[" + elements.size() + "]", element));
        }
        return elements;
    }

    InvalidInputException invalid(String reason) {
        return new InvalidInputException(path.isEmpty() ? "spec" : path, reason);
    }

    void require(boolean holds, String otherwise) throws InvalidInputException {
        if (!holds) {
            throw invalid(otherwise);
        }
    }

    private Field child(String name) {
        return new Field(path.isEmpty() ? name : path + "." + name, value.path(name));
    }
}
