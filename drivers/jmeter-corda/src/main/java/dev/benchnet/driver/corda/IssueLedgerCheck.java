package dev.benchnet.driver.corda;

import static java.util.Collections.singleton;
import static java.util.Collections.singletonList;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import net.corda.core.node.services.Vault;
import net.corda.core.node.services.vault.PageSpecification;
import net.corda.core.node.services.vault.QueryCriteria;
import net.corda.core.utilities.OpaqueBytes;
import net.corda.finance.contracts.asset.Cash;

/**
 * Counts, on all members, the states with the window's issuer reference. The reference is unique to one
 * worker of one run, so the count is exact in both directions: it also shows transactions that no client started.
 */
final class IssueLedgerCheck implements LedgerCheck {
    private final Members members;
    private final OpaqueBytes reference;
    private final LongSupplier started;
    private final Map<Member, LongAdder> completed = new ConcurrentHashMap<>();

    /** {@code started} is the number of flows of the window that were started, whether they completed or not. */
    IssueLedgerCheck(Members members, OpaqueBytes reference, LongSupplier started) {
        this.started = started;
        this.members = members;
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
        for (Member member : members.list()) {
            long seen = completed.computeIfAbsent(member, m -> new LongAdder()).sum();
            expected += seen;
            recorded += poller.awaitCount(seen, () -> countRecorded(member));
        }
        // What is unfinished for the client may be on the ledger all the same.
        return LedgerVerdict.of(Math.max(expected, Math.min(recorded, started.getAsLong())), recorded);
    }

    private long countRecorded(Member member) {
        QueryCriteria ofThisWindow = new QueryCriteria.FungibleAssetQueryCriteria(
                null, null, null, null, singletonList(reference), Vault.StateStatus.ALL, singleton(Cash.State.class));
        return member.rpc.vaultQueryByWithPagingSpec(Cash.State.class, ofThisWindow, new PageSpecification(1, 1))
                .getTotalStatesAvailable();
    }
}
