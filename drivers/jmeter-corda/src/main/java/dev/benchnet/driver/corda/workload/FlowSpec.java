package dev.benchnet.driver.corda.workload;

import dev.benchnet.driver.workload.Field;
import java.util.List;

/** A flow by class name, with its arguments. */
public final class FlowSpec {
    public final String flow;
    public final List<Argument> arguments;

    FlowSpec(Field field) {
        flow = field.requireObject().get("flow").readText();
        arguments = field.get("arguments").readList(Argument::new);
    }
}
