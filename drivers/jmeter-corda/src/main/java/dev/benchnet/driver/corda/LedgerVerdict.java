package dev.benchnet.driver.corda;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The outcome of a ledger check, in transactions. */
public final class LedgerVerdict {
    public final boolean checked;
    public final long expected;
    public final long recorded;
    /** Why the ledger was not checked, or how the numbers differ; else empty. */
    public final String reason;
    /** How the ledger contradicts itself, although the numbers may be equal; else empty. */
    public final String violation;

    private LedgerVerdict(boolean checked, long expected, long recorded, String reason, String violation) {
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
        return new LedgerVerdict(true, expected, recorded, reason, "");
    }

    /** Writes the verdict in the format of result.json. */
    public void writeTo(ObjectNode node) {
        node.put("checked", checked).put("expected", expected).put("recorded", recorded).put("reason", reason);
        if (!violation.isEmpty()) {
            node.put("violation", violation);
        }
    }

    public static LedgerVerdict unchecked(String reason) {
        return new LedgerVerdict(false, 0, 0, reason, "");
    }

    LedgerVerdict withViolation(String found) {
        return new LedgerVerdict(checked, expected, recorded, reason, found);
    }
}
