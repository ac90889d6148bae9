package dev.benchnet.driver.corda.workload;

import dev.benchnet.driver.workload.Field;
import java.util.Currency;
import java.util.List;

/** The flow to start and its parameters. */
public final class OperationSpec {
    /** Issue, IssueAndPay, Pay, or the name of a flow class. */
    public final String flow;
    public final boolean anonymous;
    public final Currency currency;
    /** Whole units of the currency. */
    public final long amount;
    public final List<Argument> arguments;
    /** Legal name of the payee; null: the party after the payer in the list of parties. */
    public final String counterparty;
    /** The flow that runs once before the measurement; null if there is none. */
    public final FlowSpec setUp;

    OperationSpec(Field field) {
        flow = field.object().get("flow").text();
        anonymous = field.get("anonymous").flag();
        currency = currency(field.get("currency"));
        amount = field.get("amount").absent() ? 100 : field.get("amount").integer(1, 100_000_000L);
        arguments = field.get("arguments").list(Argument::new);
        counterparty = field.get("counterparty").textOr(null);
        setUp = field.get("setUp").absent() ? null : new FlowSpec(field.get("setUp"));
    }

    private static Currency currency(Field field) {
        try {
            return Currency.getInstance(field.textOr("USD"));
        } catch (IllegalArgumentException e) {
            throw field.wrong("must be an ISO 4217 currency code such as USD");
        }
    }
}
