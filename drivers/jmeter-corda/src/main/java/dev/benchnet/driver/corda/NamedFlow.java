package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Argument;
import dev.benchnet.driver.corda.workload.Directory;
import java.util.List;
import net.corda.core.messaging.FlowHandle;

/** Any flow, by class name. */
public final class NamedFlow implements Operation {
    private final FlowClass flow;
    private final Network network;
    private final LedgerCheck ledger;

    /** Creates the operation of a custom plan, whose arguments have no placeholders. The counterparty may be null. */
    public NamedFlow(String name, List<Argument> arguments, Directory directory, String counterparty) {
        this("operation", name, arguments, null, directory, counterparty);
    }

    /** {@code field} is the field that errors in the name and the arguments mention. */
    NamedFlow(String field, String name, List<Argument> arguments, OperationInputs inputs, Directory directory, String counterparty) {
        flow = new FlowClass(field, name, arguments, inputs);
        network = new Network(directory, counterparty);
        ledger = new TransactionLedgerCheck(name);
    }

    @Override
    public void prepare(Member member) {
        flow.resolveParties(member, network);
    }

    @Override
    public FlowHandle<?> start(Member member, FlowPurpose purpose, int client, boolean tracked) {
        return member.startFlow(tracked, flow.type, flow.nextValues(member, network, client));
    }

    @Override
    public LedgerCheck ledger() {
        return ledger;
    }
}
