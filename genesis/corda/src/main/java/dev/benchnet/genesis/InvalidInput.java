package dev.benchnet.genesis;

/** What the user gave cannot be used. The message is one line and opens with the field it is about. */
final class InvalidInput extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidInput(String field, String reason) {
        super(field + ": " + firstLine(reason));
    }

    private static String firstLine(String text) {
        return text == null ? "not usable" : text.trim().split("\\R", 2)[0];
    }
}
