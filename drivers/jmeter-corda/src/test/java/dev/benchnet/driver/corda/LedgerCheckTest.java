package dev.benchnet.driver.corda;

import static java.util.Arrays.asList;
import static java.util.Collections.emptyList;
import static java.util.Collections.singletonList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import net.corda.core.contracts.StateRef;
import net.corda.core.crypto.Crypto;
import net.corda.core.crypto.SecureHash;
import net.corda.core.crypto.SignatureMetadata;
import net.corda.core.crypto.TransactionSignature;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.messaging.CordaRPCOps;
import net.corda.core.node.services.Vault;
import net.corda.core.node.services.vault.QueryCriteria;
import net.corda.core.serialization.SerializedBytes;
import net.corda.core.transactions.SignedTransaction;
import net.corda.core.utilities.OpaqueBytes;
import org.junit.jupiter.api.Test;

class LedgerCheckTest {
    private static final CordaX500Name PAYER = CordaX500Name.parse("O=Payer,L=London,C=GB");
    private static final CordaX500Name PAYEE = CordaX500Name.parse("O=Payee,L=London,C=GB");
    private static final OpaqueBytes REFERENCE = new OpaqueBytes(new byte[] {7});

    private static final SignedTransaction ANY_TRANSACTION = new SignedTransaction(new SerializedBytes<>(new byte[] {1}),
            singletonList(new TransactionSignature(new byte[] {1}, Crypto.generateKeyPair().getPublic(), new SignatureMetadata(1, 1))));

    private final Set<SecureHash> recorded = new HashSet<>();
    /** The transactions in the store of a member. */
    private final Set<Object> known = new HashSet<>();
    private final List<Integer> querySizes = new ArrayList<>();

    /** Returns a member whose vault answers queries with the number of {@code vault}. */
    private Member member(CordaX500Name name, ToLongFunction<QueryCriteria> vault) {
        return new Member(name.getOrganisation(), name, (CordaRPCOps) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {CordaRPCOps.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "vaultQueryByWithPagingSpec":
                            return new Vault.Page<>(emptyList(), emptyList(), vault.applyAsLong((QueryCriteria) arguments[1]),
                                    Vault.StateStatus.ALL, emptyList());
                        case "internalFindVerifiedTransaction":
                            if (known.isEmpty()) {
                                throw new IllegalStateException("the payer was asked");
                            }
                            return known.contains(arguments[0]) ? ANY_TRANSACTION : null;
                        default:
                            throw new AssertionError(method);
                    }
                }));
    }

    private long firstOutputsRecorded(QueryCriteria criteria) {
        List<StateRef> asked = ((QueryCriteria.VaultQueryCriteria) criteria).getStateRefs();
        querySizes.add(asked.size());
        return asked.stream().filter(ref -> ref.getIndex() == 0 && recorded.contains(ref.getTxhash())).count();
    }

    @Test
    void paymentsAreLookedUpAtThePayeeInPortions() throws InterruptedException {
        Member payer = member(PAYER, criteria -> 0);
        Members members = new Members(asList(payer, member(PAYEE, this::firstOutputsRecorded)));
        PaymentLedgerCheck check = new PaymentLedgerCheck(members, member -> PAYEE);
        for (int i = 0; i < 450; i++) {
            SecureHash id = SecureHash.sha256("transaction " + i);
            check.addPayment(payer, id);
            if (i != 17) {
                recorded.add(id);
            }
        }

        LedgerVerdict verdict = check.verify(Duration.ZERO);

        assertEquals(asList(200, 200, 50), querySizes);
        assertEquals(450, verdict.expected);
        assertEquals(449, verdict.recorded);
        assertEquals(1, verdict.lost);
        assertTrue(verdict.checked);
    }

    @Test
    void waitsForALatePayee() throws InterruptedException {
        SecureHash id = SecureHash.sha256("late");
        Member payer = member(PAYER, criteria -> 0);
        Member payee = member(PAYEE, criteria -> {
            long now = firstOutputsRecorded(criteria);
            recorded.add(id);
            return now;
        });
        PaymentLedgerCheck check = new PaymentLedgerCheck(new Members(asList(payer, payee)), member -> PAYEE);
        check.addPayment(payer, id);

        assertEquals(1, check.verify(Duration.ofMinutes(2)).recorded);
    }

    @Test
    void queriesThePayerIfThePayeeIsNoTarget() {
        Member payer = member(PAYER, criteria -> 0);
        PaymentLedgerCheck check = new PaymentLedgerCheck(new Members(singletonList(payer)), member -> PAYEE);
        check.addPayment(payer, SecureHash.sha256("any"));
        assertEquals("the payer was asked",
                assertThrows(IllegalStateException.class, () -> check.verify(Duration.ZERO)).getMessage());
    }

    @Test
    void countsIssuesByReferenceIncludingSurplus() throws InterruptedException {
        Member issuer = member(PAYER, criteria -> {
            assertEquals(singletonList(REFERENCE), ((QueryCriteria.FungibleAssetQueryCriteria) criteria).getIssuerRef());
            return 3;
        });
        Member idle = member(PAYEE, criteria -> 1);
        IssueLedgerCheck check = new IssueLedgerCheck(new Members(asList(issuer, idle)), REFERENCE, () -> 3);
        check.recordResult(issuer, null);
        check.recordResult(issuer, null);

        LedgerVerdict verdict = check.verify(Duration.ZERO);

        assertEquals(3, verdict.expected, "one flow is unfinished for the client");
        assertEquals(4, verdict.recorded, "also by a member that completed nothing");
        assertNull(verdict.lost, "issues are counted");
    }

    @Test
    void transactionsOfTheUsersFlowsAreLookedUp() throws InterruptedException {
        TransactionLedgerCheck check = new TransactionLedgerCheck("x.Flow");
        assertFalse(check.verify(Duration.ZERO).checked, "no flow returned a transaction");
        Member member = member(PAYER, criteria -> 0);
        for (int i = 0; i < TransactionLedgerCheck.MAX_TRANSACTIONS + 1; i++) {
            SecureHash id = SecureHash.sha256("transaction " + i);
            check.addTransaction(member, id);
            if (i != 17) {
                known.add(id);
            }
        }

        LedgerVerdict verdict = check.verify(Duration.ZERO);

        assertTrue(verdict.checked);
        assertEquals(TransactionLedgerCheck.MAX_TRANSACTIONS, verdict.expected);
        assertEquals(TransactionLedgerCheck.MAX_TRANSACTIONS - 1, verdict.recorded);
    }

    @Test
    void transactionsThatTheFlowsDoNotFinaliseAreUnchecked() throws InterruptedException {
        TransactionLedgerCheck check = new TransactionLedgerCheck("x.Flow");
        Member member = member(PAYER, criteria -> 0);
        known.add(SecureHash.sha256("of another flow"));
        check.addTransaction(member, SecureHash.sha256("draft"));

        LedgerVerdict verdict = check.verify(Duration.ZERO);

        assertFalse(verdict.checked);
        assertEquals("flow x.Flow returns transactions that its member does not record", verdict.reason);
    }
}
