package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Workload;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Currency;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.corda.core.contracts.Amount;
import net.corda.core.identity.Party;
import net.corda.core.messaging.FlowHandle;
import net.corda.core.utilities.OpaqueBytes;
import net.corda.finance.flows.CashIssueFlow;

/** The common part of the flows of the finance CorDapp. */
abstract class CashOperation implements Operation {
    final Network network;
    final Amount<Currency> amount;
    final boolean anonymous;
    private final Map<FlowPurpose, OpaqueBytes> references = new EnumMap<>(FlowPurpose.class);
    private final Map<Member, Party> notaries = new ConcurrentHashMap<>();

    CashOperation(Workload workload) {
        network = new Network(workload.directory, workload.operation.counterparty);
        amount = amount(workload.operation.amount, workload.operation.currency);
        anonymous = workload.operation.anonymous;
        for (FlowPurpose purpose : FlowPurpose.values()) {
            String reference = workload.reference + "/" + workload.worker.index + "/" + purpose;
            references.put(purpose, new OpaqueBytes(reference.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static Amount<Currency> amount(long units, Currency currency) {
        return Amount.fromDecimal(BigDecimal.valueOf(units), currency);
    }

    @Override
    public void prepare(Member member) {
        notaries.put(member, network.notary(member));
    }

    OpaqueBytes reference(FlowPurpose purpose) {
        return references.get(purpose);
    }

    Party notary(Member member) {
        return notaries.get(member);
    }

    FlowHandle<?> issue(Member member, Amount<Currency> value, FlowPurpose purpose) {
        return member.rpc.startFlowDynamic(CashIssueFlow.class, value, reference(purpose), notary(member));
    }
}
