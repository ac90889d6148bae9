package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Argument;
import dev.benchnet.driver.corda.workload.Directory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.corda.core.messaging.FlowHandle;

/** Any flow, by class name, with constant arguments. */
public final class NamedFlow implements Operation {
    private final FlowClass flow;
    private final Network network;
    private final Map<Member, Object[]> arguments = new ConcurrentHashMap<>();
    private final LedgerCheck ledger;

    /** Creates the operation of a workload. The counterparty may be null. */
    public NamedFlow(String name, List<Argument> arguments, Directory directory, String counterparty) {
        this("operation", name, arguments, directory, counterparty);
    }

    /** {@code field} is the field that errors in the name and the arguments mention. */
    NamedFlow(String field, String name, List<Argument> arguments, Directory directory, String counterparty) {
        flow = new FlowClass(field, name, arguments);
        network = new Network(directory, counterparty);
        ledger = new TransactionLedgerCheck(name);
    }

    @Override
    public void prepare(Member member) {
        arguments.put(member, flow.resolveValues(member, network));
    }

    @Override
    public FlowHandle<?> start(Member member, FlowPurpose purpose, boolean tracked) {
        return member.startFlow(tracked, flow.type, arguments.get(member));
    }

    @Override
    public LedgerCheck ledger() {
        return ledger;
    }
}
