package dev.benchnet.driver.corda;

import static java.util.Collections.singleton;
import static java.util.Collections.singletonList;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Objects;
import net.corda.core.node.services.Vault;
import net.corda.core.node.services.vault.Builder;
import net.corda.core.node.services.vault.PageSpecification;
import net.corda.core.node.services.vault.QueryCriteria;
import net.corda.core.node.services.vault.QueryCriteriaUtils;
import net.corda.core.utilities.OpaqueBytes;
import net.corda.finance.contracts.asset.Cash;
import net.corda.finance.schemas.CashSchemaV1;

/**
 * Compares the cash with one issuer reference, summed over all members, with the cash that was issued. Payments keep the
 * reference, so the sum grows only if a coin is spent twice or appears from nowhere, and shrinks only if cash vanishes.
 */
final class CashValueCheck {
    private final Members members;

    CashValueCheck(Members members) {
        this.members = members;
    }

    /**
     * Returns the verdict on the transactions, with a violation if the sum is certainly out of range: the time is over
     * and it does not change. A sum out of range that still changes leaves the ledger unchecked.
     */
    LedgerVerdict verify(LedgerVerdict counted, IssuedCash issued, LedgerPoller poller) throws InterruptedException {
        List<Long> previous = null;
        while (true) {
            List<Long> held = valuesHeld(issued.reference);
            BigInteger sum = held.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
            boolean surplus = sum.compareTo(issued.most) > 0;
            if (!surplus && !(issued.mustBeHeld && sum.compareTo(issued.least) < 0)) {
                return counted;
            }
            if (poller.isOver() && previous != null) {
                return held.equals(previous)
                        ? counted.withViolation("the members hold " + format(sum, issued.currency) + " of the worker's cash, but it issued "
                                + format(surplus ? issued.most : issued.least, issued.currency))
                        : LedgerVerdict.unchecked("cash still moved between the members after the drain");
            }
            previous = held;
            poller.pause();
        }
    }

    private List<Long> valuesHeld(OpaqueBytes reference) {
        List<Long> values = new ArrayList<>();
        for (Member member : members.list()) {
            values.add(valueHeld(member, reference));
        }
        return values;
    }

    private static long valueHeld(Member member, OpaqueBytes reference) {
        QueryCriteria query = new QueryCriteria.FungibleAssetQueryCriteria(
                null, null, null, null, singletonList(reference), Vault.StateStatus.UNCONSUMED, singleton(Cash.State.class))
                .and(sumOfPennies());
        List<Object> sums = member.rpc.vaultQueryByWithPagingSpec(Cash.State.class, query, new PageSpecification(1, 1)).getOtherResults();
        return sums.stream().filter(Objects::nonNull).mapToLong(sum -> ((Number) sum).longValue()).sum();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // The type parameters of sums do not match those of criteria.
    private static QueryCriteria sumOfPennies() {
        try {
            return new QueryCriteria.VaultCustomQueryCriteria(
                    Builder.sum(QueryCriteriaUtils.getField("pennies", CashSchemaV1.PersistentCashState.class)),
                    Vault.StateStatus.UNCONSUMED);
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String format(BigInteger value, Currency currency) {
        return new BigDecimal(value, Math.max(0, currency.getDefaultFractionDigits())).toPlainString() + " " + currency.getCurrencyCode();
    }
}
