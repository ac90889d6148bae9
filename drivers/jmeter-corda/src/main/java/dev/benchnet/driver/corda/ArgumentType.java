package dev.benchnet.driver.corda;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Currency;
import java.util.UUID;
import net.corda.core.contracts.Amount;
import net.corda.core.contracts.StateRef;
import net.corda.core.contracts.UniqueIdentifier;
import net.corda.core.crypto.SecureHash;
import net.corda.core.identity.AbstractParty;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.identity.Party;
import net.corda.core.utilities.OpaqueBytes;

/** The types of flow arguments in a workload, with their text formats. */
enum ArgumentType {
    String(text -> text, String.class),
    Int(Integer::valueOf, int.class, Integer.class),
    Long(java.lang.Long::valueOf, long.class, Long.class),
    Double(java.lang.Double::valueOf, double.class, Double.class),
    Decimal(BigDecimal::new, BigDecimal.class),
    Boolean(ArgumentType::parseBoolean, boolean.class, Boolean.class),
    /** ISO 8601, in UTC: 2026-01-31T12:00:00Z. */
    Instant(java.time.Instant::parse, Instant.class),
    UUID(java.util.UUID::fromString, UUID.class),
    /** ISO 4217: USD. */
    Currency(java.util.Currency::getInstance, Currency.class),
    /** 100.50 USD. */
    Amount(ArgumentType::parseAmount, Amount.class),
    /** The bytes of the text in UTF-8. */
    OpaqueBytes(text -> new OpaqueBytes(text.getBytes(StandardCharsets.UTF_8)), OpaqueBytes.class),
    /** SHA-256, hexadecimal. */
    SecureHash(net.corda.core.crypto.SecureHash::parse, SecureHash.class),
    /** Transaction and output index, as Corda prints it: A0B1…(0). */
    StateRef(ArgumentType::parseStateRef, StateRef.class),
    /** A UUID without an external id. */
    UniqueIdentifier(net.corda.core.contracts.UniqueIdentifier.Companion::fromString, UniqueIdentifier.class),
    /** O=Bank 1,L=London,C=GB. */
    X500Name(CordaX500Name::parse, CordaX500Name.class),
    /** A legal name, self, counterparty or notary; resolved to a party for each member. */
    Party(PartyName::parse, Party.class, AbstractParty.class);

    private interface Parser {
        Object parse(String text);
    }

    private final Parser parser;
    private final Class<?>[] classes;

    ArgumentType(Parser parser, Class<?>... classes) {
        this.parser = parser;
        this.classes = classes;
    }

    /** Parses the text. Throws a RuntimeException with a reason if the text is not of this type. */
    Object parse(String text) {
        return parser.parse(text);
    }

    /** Reports whether a constructor parameter of this class accepts values of this type. */
    boolean isAssignableTo(Class<?> parameter) {
        return Arrays.asList(classes).contains(parameter);
    }

    private static Boolean parseBoolean(String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException("it is neither true nor false");
        }
        return java.lang.Boolean.valueOf(text);
    }

    private static Object parseAmount(String text) {
        String[] words = text.split(" ");
        if (!text.matches("\\d+(\\.\\d+)? [A-Z]{3}")) {
            throw new IllegalArgumentException("an amount is a number and a currency, such as 100.50 USD");
        }
        return net.corda.core.contracts.Amount.fromDecimal(
                new BigDecimal(words[0]), java.util.Currency.getInstance(words[1]));
    }

    private static Object parseStateRef(String text) {
        if (!text.matches("[^()]+\\(\\d{1,9}\\)")) {
            throw new IllegalArgumentException("a state reference is a transaction id and an output, such as A0B1…(0)");
        }
        int open = text.indexOf('(');
        return new StateRef(net.corda.core.crypto.SecureHash.parse(text.substring(0, open)),
                Integer.parseInt(text.substring(open + 1, text.length() - 1)));
    }
}
