package dev.benchnet.driver.corda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LedgerVerdictTest {
    @Test
    void reasonStatesTheDifference() {
        assertEquals("", LedgerVerdict.of(5, 5).reason);
        assertEquals("2 flows that the clients saw complete are not on the ledger", LedgerVerdict.of(5, 3).reason);
        assertEquals("1 transactions are on the ledger that no client saw complete", LedgerVerdict.of(5, 6).reason);
    }

    private static String mixed(LedgerVerdict first, LedgerVerdict second) {
        Map<String, LedgerVerdict> kinds = new LinkedHashMap<>();
        kinds.put("a", first);
        kinds.put("b", second);
        LedgerVerdict mix = LedgerVerdict.ofMix(kinds);
        return mix.checked + " " + mix.expected + "/" + mix.recorded + " [" + mix.reason + "] [" + mix.violation + "]";
    }

    @Test
    void aMixIsCheckedIfAllItsKindsAre() {
        LedgerVerdict unchecked = LedgerVerdict.unchecked("no answer");
        assertEquals("true 12/12 [] []", mixed(LedgerVerdict.of(5, 5), LedgerVerdict.of(7, 7)));
        assertEquals("false 5/5 [b: no answer] []", mixed(LedgerVerdict.of(5, 5), unchecked));
        assertEquals("false 0/0 [a: no answer] []", mixed(unchecked, unchecked));
    }

    @Test
    void lostTransactionsOfAMixAreKnownIfThoseOfAllItsKindsAre() {
        Map<String, LedgerVerdict> kinds = new LinkedHashMap<>();
        kinds.put("a", LedgerVerdict.ofIdentified(7, 5));
        kinds.put("b", LedgerVerdict.ofIdentified(4, 3).withViolation("cash vanished"));
        assertEquals(3, LedgerVerdict.ofMix(kinds).lost);
        kinds.put("c", LedgerVerdict.of(5, 5));
        assertNull(LedgerVerdict.ofMix(kinds).lost);
    }

    @Test
    void aMixNamesTheFirstKindThatDiffers() {
        String lost = "2 flows that the clients saw complete are not on the ledger";
        assertEquals("true 12/10 [b: " + lost + "] []", mixed(LedgerVerdict.of(5, 5), LedgerVerdict.of(7, 5)));
        assertEquals("true 7/5 [b: " + lost + "] []", mixed(LedgerVerdict.unchecked("no answer"), LedgerVerdict.of(7, 5)));
        assertEquals("true 12/12 [a: " + lost + "] [a: " + lost + "]", mixed(LedgerVerdict.of(7, 5), LedgerVerdict.of(5, 7)));
        assertEquals("true 12/12 [] [b: cash vanished]", mixed(LedgerVerdict.of(5, 5), LedgerVerdict.of(7, 7).withViolation("cash vanished")));
    }
}
