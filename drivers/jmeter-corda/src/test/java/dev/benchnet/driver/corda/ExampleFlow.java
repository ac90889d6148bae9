package dev.benchnet.driver.corda;

import java.util.Currency;
import net.corda.core.contracts.Amount;
import net.corda.core.flows.FlowLogic;
import net.corda.core.flows.StartableByRPC;
import net.corda.core.identity.Party;

/** A flow for tests of argument typing; it is never run. */
@StartableByRPC
public final class ExampleFlow extends FlowLogic<Void> {
    public ExampleFlow(int value, Party otherParty) { }

    public ExampleFlow(Long value, boolean flag, Amount<Currency> amount) { }

    @Override
    public Void call() {
        return null;
    }

    /** A flow that only other flows start. */
    public static final class Inner extends FlowLogic<Void> {
        @Override
        public Void call() {
            return null;
        }
    }
}
