package dev.benchnet.driver.corda;

import java.math.BigInteger;
import java.util.Currency;
import net.corda.core.contracts.Amount;
import net.corda.core.utilities.OpaqueBytes;

/** The cash that a worker issued with one issuer reference, in the smallest units of the currency. */
final class IssuedCash {
    final OpaqueBytes reference;
    final Currency currency;
    final BigInteger least;
    /** More than the least if flows that did not complete may have issued cash. */
    final BigInteger most;
    /** False if a sum below the least has an explanation, such as holders that cannot be queried. */
    final boolean mustBeHeld;

    IssuedCash(OpaqueBytes reference, Amount<Currency> amount, long atLeast, long atMost, boolean mustBeHeld) {
        this.reference = reference;
        currency = amount.getToken();
        least = valueOf(amount, atLeast);
        most = valueOf(amount, atMost);
        this.mustBeHeld = mustBeHeld;
    }

    private static BigInteger valueOf(Amount<Currency> amount, long times) {
        return BigInteger.valueOf(amount.getQuantity()).multiply(BigInteger.valueOf(times));
    }
}
