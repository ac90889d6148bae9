package dev.benchnet.driver.corda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LedgerVerdictTest {
    @Test
    void reasonStatesTheDifference() {
        assertEquals("", LedgerVerdict.of(5, 5).reason);
        assertEquals("2 flows that the clients saw complete are not on the ledger", LedgerVerdict.of(5, 3).reason);
        assertEquals("1 transactions are on the ledger that no client saw complete", LedgerVerdict.of(5, 6).reason);
    }
}
