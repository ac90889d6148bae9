package dev.benchnet.driver.corda;

import dev.benchnet.driver.workload.Workload;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.corda.core.messaging.FlowHandle;

/** Any flow, by class name, with the same arguments each time. */
final class NamedFlow implements Operation {
    private final FlowClass flow;
    private final Network network;
    private final Map<Member, Object[]> arguments = new ConcurrentHashMap<>();
    private final LedgerCheck ledger;

    NamedFlow(Workload workload) {
        flow = new FlowClass(workload.operation.flow, workload.operation.arguments);
        network = new Network(workload);
        ledger = LedgerCheck.none("what " + workload.operation.flow + " records is not known to the driver");
    }

    @Override
    public void prepare(Member member) {
        arguments.put(member, flow.values(member, network));
    }

    @Override
    public FlowHandle<?> start(Member member, Purpose purpose) {
        return member.rpc.startFlowDynamic(flow.type, arguments.get(member));
    }

    @Override
    public LedgerCheck ledger() {
        return ledger;
    }
}
