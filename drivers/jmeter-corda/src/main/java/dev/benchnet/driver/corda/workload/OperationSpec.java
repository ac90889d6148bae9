package dev.benchnet.driver.corda.workload;

import dev.benchnet.driver.workload.Field;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Currency;
import java.util.List;

/** A flow to start and its parameters. */
public final class OperationSpec {
    /** The path of the specification in the workload. */
    public final String field;
    /** The name of the kind in a mix; otherwise the flow. */
    public final String name;
    /** Issue, IssueAndPay, Pay, or the name of a flow class. */
    public final String flow;
    public final boolean anonymous;
    public final Currency currency;
    /** Whole units of the currency. */
    public final long amount;
    public final List<Argument> arguments;
    /** The flow that runs once before the measurement; null if there is none. */
    public final FlowSpec setUp;
    /** The CSV file of the arguments' placeholders; null if there is none. */
    public final Path data;
    /** The seed of random values in the arguments. */
    public final long seed;

    OperationSpec(Field field) {
        this.field = field.path();
        flow = field.requireObject().get("flow").readText();
        name = field.get("name").readTextOr(flow);
        anonymous = field.get("anonymous").readBoolean();
        currency = currency(field.get("currency"));
        amount = field.get("amount").isAbsent() ? 100 : field.get("amount").readInteger(1, 100_000_000L);
        arguments = field.get("arguments").readList(Argument::new);
        setUp = field.get("setUp").isAbsent() ? null : new FlowSpec(field.get("setUp"));
        data = field.get("data").isAbsent() ? null : Paths.get(field.get("data").readText());
        seed = field.get("seed").isAbsent() ? 0 : field.get("seed").readInteger(0, Long.MAX_VALUE);
    }

    private static Currency currency(Field field) {
        try {
            return Currency.getInstance(field.readTextOr("USD"));
        } catch (IllegalArgumentException e) {
            throw field.invalid("must be an ISO 4217 currency code such as USD");
        }
    }
}
