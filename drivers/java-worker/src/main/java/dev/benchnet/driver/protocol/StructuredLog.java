package dev.benchnet.driver.protocol;

import java.time.Instant;
import java.util.regex.Pattern;

/** Log lines of keys and values on standard error, in the format of the agent (Go's slog.TextHandler). */
public final class StructuredLog {
    private static final Pattern BARE = Pattern.compile("[!#-<>-\\[\\]-~]+");

    private StructuredLog() {}

    /** Writes a line with a level, a message, and pairs of keys and values. */
    public static void write(String level, String message, Object... pairs) {
        System.err.println("time=" + Instant.now() + " level=" + level + formatPairs("msg", message) + formatPairs(pairs));
    }

    /** Returns each pair as " key=value". A value with spaces, quotes or control characters is quoted. */
    static String formatPairs(Object... pairs) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < pairs.length; i += 2) {
            text.append(' ').append(pairs[i]).append('=').append(quote(String.valueOf(pairs[i + 1])));
        }
        return text.toString();
    }

    private static String quote(String value) {
        if (BARE.matcher(value).matches()) {
            return value;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c == '\n') {
                quoted.append("\\n");
            } else if (c < ' ') {
                quoted.append(String.format("\\x%02x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
