package dev.benchnet.driver.corda;

import static java.util.Collections.singleton;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Collectors;
import net.corda.core.contracts.StateRef;
import net.corda.core.crypto.SecureHash;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.node.services.Vault;
import net.corda.core.node.services.vault.PageSpecification;
import net.corda.core.node.services.vault.QueryCriteria;
import net.corda.finance.contracts.asset.Cash;
import net.corda.finance.flows.AbstractCashFlow;

/**
 * Looks up the payments, by transaction, in the vault of the payee. An issuer reference would not work: coin
 * selection takes any coin of the currency, including coins that another worker, the warm-up or the payee issued. If
 * the payee is not among the targets, the check queries the payer for the transactions.
 */
final class PaymentLedgerCheck implements LedgerCheck {
    private static final int REFS_PER_QUERY = 200;

    private final Members members;
    private final Function<Member, CordaX500Name> payee;
    private final Map<Member, Queue<SecureHash>> payments = new ConcurrentHashMap<>();

    PaymentLedgerCheck(Members members, Function<Member, CordaX500Name> payee) {
        this.members = members;
        this.payee = payee;
    }

    @Override
    public void recordResult(Member member, Object result) {
        addPayment(member, ((AbstractCashFlow.Result) result).getStx().getId());
    }

    void addPayment(Member payer, SecureHash transaction) {
        payments.computeIfAbsent(payer, m -> new ConcurrentLinkedQueue<>()).add(transaction);
    }

    @Override
    public LedgerVerdict verify(Duration length) throws InterruptedException {
        LedgerPoller poller = new LedgerPoller(length);
        long expected = 0;
        long recorded = 0;
        for (Map.Entry<Member, Queue<SecureHash>> entry : payments.entrySet()) {
            List<SecureHash> ids = new ArrayList<>(entry.getValue());
            expected += ids.size();
            Optional<Member> recipient = members.findByName(payee.apply(entry.getKey()));
            for (List<SecureHash> some : splitIntoQueries(ids)) {
                recorded += poller.awaitCount(some.size(), () -> recipient.isPresent()
                        ? countRecordedByPayee(recipient.get(), some) : countRecordedByPayer(entry.getKey(), some));
            }
        }
        return LedgerVerdict.ofIdentified(expected, recorded);
    }

    /** Counts the first output of each payment, which is the payee's: change comes last. */
    private static long countRecordedByPayee(Member payee, List<SecureHash> ids) {
        List<StateRef> firstOutputs = ids.stream().map(id -> new StateRef(id, 0)).collect(Collectors.toList());
        QueryCriteria those = new QueryCriteria.VaultQueryCriteria(
                Vault.StateStatus.ALL, singleton(Cash.State.class), firstOutputs);
        return payee.rpc.vaultQueryByWithPagingSpec(Cash.State.class, those, new PageSpecification(1, 1))
                .getTotalStatesAvailable();
    }

    private static long countRecordedByPayer(Member payer, List<SecureHash> ids) {
        return ids.stream().filter(id -> payer.rpc.internalFindVerifiedTransaction(id) != null).count();
    }

    private static List<List<SecureHash>> splitIntoQueries(List<SecureHash> ids) {
        List<List<SecureHash>> parts = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += REFS_PER_QUERY) {
            parts.add(ids.subList(from, Math.min(ids.size(), from + REFS_PER_QUERY)));
        }
        return parts;
    }
}
