package dev.benchnet.driver.corda;

import static java.util.Collections.singleton;
import static java.util.Collections.singletonList;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import net.corda.core.node.services.Vault;
import net.corda.core.node.services.vault.PageSpecification;
import net.corda.core.node.services.vault.QueryCriteria;
import net.corda.core.utilities.OpaqueBytes;
import net.corda.finance.contracts.asset.Cash;

/**
 * Counts, on the issuing members, the states with the window's issuer reference. The reference is unique to one
 * worker of one run, so the count is exact in both directions: it also shows transactions that no client saw
 * complete.
 */
final class IssueLedgerCheck implements LedgerCheck {
    private final OpaqueBytes reference;
    private final Map<Member, LongAdder> completed = new ConcurrentHashMap<>();

    IssueLedgerCheck(OpaqueBytes reference) {
        this.reference = reference;
    }

    @Override
    public void recordResult(Member member, Object result) {
        completed.computeIfAbsent(member, m -> new LongAdder()).increment();
    }

    @Override
    public LedgerVerdict verify(Duration length) throws InterruptedException {
        LedgerPoller poller = new LedgerPoller(length);
        long expected = 0;
        long recorded = 0;
        for (Map.Entry<Member, LongAdder> entry : completed.entrySet()) {
            long seen = entry.getValue().sum();
            expected += seen;
            recorded += poller.awaitCount(seen, () -> countRecorded(entry.getKey()));
        }
        return LedgerVerdict.of(expected, recorded);
    }

    private long countRecorded(Member member) {
        QueryCriteria ofThisWindow = new QueryCriteria.FungibleAssetQueryCriteria(
                null, null, null, null, singletonList(reference), Vault.StateStatus.ALL, singleton(Cash.State.class));
        return member.rpc.vaultQueryByWithPagingSpec(Cash.State.class, ofThisWindow, new PageSpecification(1, 1))
                .getTotalStatesAvailable();
    }
}
