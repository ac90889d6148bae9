package dev.benchnet.driver.corda.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.workload.Field;
import java.util.List;

/** One argument, as written by the user, of a flow that is started by class name. */
public final class Argument {
    public final String type;
    public final String value;

    Argument(Field field) {
        type = field.requireObject().get("type").readText();
        value = field.get("value").readTextOr("");
    }

    public Argument(String type, String value) {
        this.type = type;
        this.value = value;
    }

    /** Reads a JSON list of objects with type and value. */
    public static List<Argument> parseList(String json) {
        try {
            return new Field("operation.arguments", new ObjectMapper().readTree(json)).readList(Argument::new);
        } catch (JsonProcessingException e) {
            throw new FatalException("operation.arguments: must be a JSON list, but is " + json);
        }
    }
}
