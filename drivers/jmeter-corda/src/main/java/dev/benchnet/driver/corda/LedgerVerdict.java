package dev.benchnet.driver.corda;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** The outcome of a ledger check, in transactions. */
public final class LedgerVerdict {
    public final boolean checked;
    public final long expected;
    public final long recorded;
    /** Why the ledger was not checked, or how the numbers differ; else empty. */
    public final String reason;
    /** How the ledger contradicts itself, although the numbers may be equal; else empty. */
    public final String violation;
    /** How many transactions that clients saw complete are not recorded; null if they were only counted. */
    public final Long lost;

    private LedgerVerdict(boolean checked, long expected, long recorded, String reason, String violation, Long lost) {
        this.lost = lost;
        this.violation = violation;
        this.checked = checked;
        this.expected = expected;
        this.recorded = recorded;
        this.reason = reason;
    }

    static LedgerVerdict of(long expected, long recorded) {
        String reason = "";
        if (recorded < expected) {
            reason = (expected - recorded) + " flows that the clients saw complete are not on the ledger";
        } else if (recorded > expected) {
            reason = (recorded - expected) + " transactions are on the ledger that no client saw complete";
        }
        return new LedgerVerdict(true, expected, recorded, reason, "", null);
    }

    /** Returns the verdict on transactions of which each was looked up. */
    static LedgerVerdict ofIdentified(long expected, long recorded) {
        return new LedgerVerdict(true, expected, recorded, of(expected, recorded).reason, "", expected - recorded);
    }

    /** Writes the verdict in the format of result.json. */
    public void writeTo(ObjectNode node) {
        node.put("checked", checked).put("expected", expected).put("recorded", recorded).put("reason", reason);
        if (!violation.isEmpty()) {
            node.put("violation", violation);
        }
        if (lost != null) {
            node.put("lost", lost);
        }
    }

    /**
     * Returns the verdict on all kinds of a mix, by their names. It names the first kind whose ledger differs, or else the
     * first that was not checked. Differences that cancel each other out are a violation.
     */
    public static LedgerVerdict ofMix(Map<String, LedgerVerdict> kinds) {
        long expected = 0;
        long recorded = 0;
        String difference = "";
        String unchecked = "";
        String violation = "";
        Long lost = 0L;
        for (Map.Entry<String, LedgerVerdict> kind : kinds.entrySet()) {
            LedgerVerdict verdict = kind.getValue();
            String prefix = kind.getKey() + ": ";
            expected += verdict.expected;
            recorded += verdict.recorded;
            lost = lost == null || verdict.lost == null ? null : Long.valueOf(lost + verdict.lost);
            if (violation.isEmpty() && !verdict.violation.isEmpty()) {
                violation = prefix + verdict.violation;
            }
            if (!verdict.checked && unchecked.isEmpty()) {
                unchecked = prefix + verdict.reason;
            } else if (verdict.expected != verdict.recorded && difference.isEmpty()) {
                difference = prefix + verdict.reason;
            }
        }
        if (violation.isEmpty() && expected == recorded) {
            violation = difference;
        }
        String reason = difference.isEmpty() ? unchecked : difference;
        return new LedgerVerdict(unchecked.isEmpty() || !difference.isEmpty(), expected, recorded, reason, violation, lost);
    }

    public static LedgerVerdict unchecked(String reason) {
        return new LedgerVerdict(false, 0, 0, reason, "", null);
    }

    LedgerVerdict withViolation(String found) {
        return new LedgerVerdict(checked, expected, recorded, reason, found, lost);
    }
}
