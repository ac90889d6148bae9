package dev.benchnet.driver.corda;

import static java.util.Arrays.asList;
import static java.util.Collections.emptyList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.function.LongSupplier;
import net.corda.core.contracts.Amount;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.messaging.CordaRPCOps;
import net.corda.core.node.services.Vault;
import net.corda.core.utilities.OpaqueBytes;
import org.junit.jupiter.api.Test;

/** Two members; between 4 and 5 amounts of 100 USD were issued. */
class CashValueCheckTest {
    private static final OpaqueBytes REFERENCE = new OpaqueBytes(new byte[] {7});
    private static final LedgerVerdict COUNTED = LedgerVerdict.of(4, 4);

    private long readings;

    /** Returns a member whose vault answers a sum with {@code cents}, and with nothing if that is 0, like a database. */
    private static Member member(String organisation, LongSupplier cents) {
        return new Member(organisation, new CordaX500Name(organisation, "London", "GB"), (CordaRPCOps) Proxy.newProxyInstance(
                CashValueCheckTest.class.getClassLoader(), new Class<?>[] {CordaRPCOps.class}, (proxy, method, arguments) -> {
                    long sum = cents.getAsLong();
                    return new Vault.Page<>(emptyList(), emptyList(), -1, Vault.StateStatus.UNCONSUMED,
                            Collections.<Object>singletonList(sum == 0 ? null : sum));
                }));
    }

    private static LedgerVerdict verify(LongSupplier first, LongSupplier second, boolean mustBeHeld) throws InterruptedException {
        Members members = new Members(asList(member("Bank A", first), member("Bank B", second)));
        IssuedCash issued = new IssuedCash(REFERENCE, Amount.parseCurrency("100 USD"), 4, 5, mustBeHeld);
        return new CashValueCheck(members).verify(COUNTED, issued, new LedgerPoller(Duration.ZERO));
    }

    @Test
    void cashThatMovedIsNoViolation() throws InterruptedException {
        assertEquals("", verify(() -> 0, () -> 40_000, true).violation);
        assertEquals("", verify(() -> 10_000, () -> 30_000, true).violation);
    }

    @Test
    void aFlowThatDidNotCompleteMayHaveIssued() throws InterruptedException {
        assertEquals("", verify(() -> 50_000, () -> 0, false).violation);
    }

    @Test
    void aCoinThatIsSpentTwiceIsAViolation() throws InterruptedException {
        LedgerVerdict verdict = verify(() -> 40_000, () -> 20_000, false);
        assertEquals("the members hold 600.00 USD of the worker's cash, but it issued 500.00 USD", verdict.violation);
        assertEquals(4, verdict.recorded);
    }

    @Test
    void lostCashIsAViolationUnlessItHasAnExplanation() throws InterruptedException {
        assertEquals("the members hold 399.99 USD of the worker's cash, but it issued 400.00 USD",
                verify(() -> 20_000, () -> 19_999, true).violation);
        assertEquals("", verify(() -> 20_000, () -> 19_999, false).violation);
    }

    @Test
    void cashThatStillMovesLeavesTheLedgerUnchecked() throws InterruptedException {
        LedgerVerdict verdict = verify(() -> 60_000 + readings++, () -> 0, true);
        assertFalse(verdict.checked);
        assertEquals("", verdict.violation);
    }
}
