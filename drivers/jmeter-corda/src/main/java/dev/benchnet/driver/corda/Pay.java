package dev.benchnet.driver.corda;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.corda.workload.Workload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Currency;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import net.corda.core.contracts.Amount;
import net.corda.core.messaging.FlowHandle;
import net.corda.core.utilities.OpaqueBytes;
import net.corda.finance.flows.CashPaymentFlow;

/**
 * The member pays its counterparty from coins that it issued before the load began.
 *
 * <p>A payment soft-locks the coin that it spends until the change is recorded, and coin selection pauses and retries
 * if it finds only locked coins. To keep this out of the measurement, each worker issues {@link #COINS_PER_FLOW}
 * coins (at least {@link #FEWEST_COINS}) for each of its flows that may be in flight on the member. Each coin is
 * worth {@link #PAYMENTS_PER_COIN} payments, so that a free coin is always left and no coin is used up.
 */
final class Pay extends Payment {
    static final int COINS_PER_FLOW = 3;
    static final int FEWEST_COINS = 10;
    /** Keeps the sum over thousands of coins of the largest amount within 64 bits, which databases use for the sum. */
    static final long PAYMENTS_PER_COIN = 100_000;
    /** More parallel flows would only queue in the node. */
    private static final int ISSUED_IN_PARALLEL = 8;

    private final int coins;
    /** Unique to this process, since a worker that restarts issues its coins again. */
    private final OpaqueBytes coinReference;
    private final LongAdder prepared = new LongAdder();

    Pay(Workload workload, int kind, Members members, List<Operation> all) {
        super(workload, kind, members, all);
        coins = coinsPerMember(workload.mix.shareOf(kind, workload.workerMaxOutstanding()), workload.directory.targets.size());
        coinReference = new OpaqueBytes((workload.reference + "/" + workload.worker.index + "/" + UUID.randomUUID())
                .getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the number of coins for each member, over which the flows in flight are distributed. */
    static int coinsPerMember(int outstanding, int members) {
        int flows = (outstanding + members - 1) / members;
        return Math.max(FEWEST_COINS, COINS_PER_FLOW * flows);
    }

    @Override
    public void prepare(Member member) {
        super.prepare(member);
        Amount<Currency> coin = amount.times(PAYMENTS_PER_COIN);
        Queue<FlowHandle<?>> inFlight = new ArrayDeque<>();
        for (int i = 0; i < coins; i++) {
            if (inFlight.size() == ISSUED_IN_PARALLEL) {
                awaitIssue(inFlight.remove(), member);
            }
            inFlight.add(issue(member, coin, coinReference, false));
        }
        inFlight.forEach(flow -> awaitIssue(flow, member));
        prepared.increment();
    }

    /** Returns the coins, of which no payment changes the value. */
    @Override
    IssuedCash issued() {
        long times = prepared.sum() * coins * PAYMENTS_PER_COIN;
        return new IssuedCash(coinReference, amount, times, times, mustBeHeld());
    }

    private static void awaitIssue(FlowHandle<?> flow, Member member) {
        try {
            flow.getReturnValue().get();
        } catch (ExecutionException e) {
            throw new FatalException("operation: issue coins on " + member, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FatalException("operation: issue coins on " + member, e);
        }
    }

    @Override
    FlowHandle<?> startFlow(Member member, FlowPurpose purpose, boolean tracked) {
        return member.startFlow(tracked, CashPaymentFlow.class, amount, payee(member), anonymous, notary(member));
    }
}
