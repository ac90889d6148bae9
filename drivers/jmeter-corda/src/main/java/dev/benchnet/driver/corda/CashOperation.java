package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.OperationSpec;
import dev.benchnet.driver.corda.workload.Workload;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Currency;
import java.util.EnumMap;
import java.util.List;
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
    final Members members;
    final FlowCounts counts = new FlowCounts();
    private final int workers;
    private final List<Operation> all;
    private final Map<FlowPurpose, OpaqueBytes> references = new EnumMap<>(FlowPurpose.class);
    private final Map<Member, Party> notaries = new ConcurrentHashMap<>();

    /** The kind is the index of the operation in the mix. {@code all} has all operations of the mix when the load starts. */
    CashOperation(Workload workload, int kind, Members members, List<Operation> all) {
        OperationSpec spec = workload.operations.get(kind);
        this.members = members;
        this.all = all;
        workers = workload.worker.count;
        network = new Network(workload.directory, workload.counterparty);
        amount = amount(spec.amount, spec.currency);
        anonymous = spec.anonymous;
        for (FlowPurpose purpose : FlowPurpose.values()) {
            String reference = workload.reference + "/" + workload.worker.index + "/" + purpose + (isMixed(workload) ? "/" + spec.name : "");
            references.put(purpose, new OpaqueBytes(reference.getBytes(StandardCharsets.UTF_8)));
        }
    }

    static boolean isMixed(Workload workload) {
        return workload.operations.size() > 1;
    }

    private static Amount<Currency> amount(long units, Currency currency) {
        return Amount.fromDecimal(BigDecimal.valueOf(units), currency);
    }

    @Override
    public void prepare(Member member) {
        notaries.put(member, network.notary(member));
    }

    @Override
    public final FlowHandle<?> start(Member member, FlowPurpose purpose, int client, boolean tracked) {
        return counts.count(purpose, () -> startFlow(member, purpose, tracked));
    }

    abstract FlowHandle<?> startFlow(Member member, FlowPurpose purpose, boolean tracked);

    /** Returns the check of the transactions, and of the value of the cash that the operation issues. */
    final LedgerCheck withValue(LedgerCheck transactions) {
        return new CashLedgerCheck(transactions, new CashValueCheck(members), this::issued);
    }

    /** Returns the cash that the flows of the window issued. */
    IssuedCash issued() {
        return new IssuedCash(reference(FlowPurpose.Window), amount, counts.completed(FlowPurpose.Window),
                counts.started(FlowPurpose.Window), mustBeHeld());
    }

    /**
     * Reports whether the members must hold all cash of this worker: each of them can be queried, and no payment is
     * incomplete, not even one of another worker, which may spend the same cash. What a flow by class name does with it is
     * unknown.
     */
    final boolean mustBeHeld() {
        return workers == 1 && network.isCoveredBy(members) && all.stream().allMatch(CashOperation::keepsCash);
    }

    private static boolean keepsCash(Operation operation) {
        return operation instanceof CashOperation && ((CashOperation) operation).counts.allCompleted();
    }

    OpaqueBytes reference(FlowPurpose purpose) {
        return references.get(purpose);
    }

    Party notary(Member member) {
        return notaries.get(member);
    }

    FlowHandle<?> issue(Member member, Amount<Currency> value, OpaqueBytes reference, boolean tracked) {
        return member.startFlow(tracked, CashIssueFlow.class, value, reference, notary(member));
    }
}
