package dev.benchnet.genesis;

/** Invalid user input. The message is one line and starts with the field. */
final class InvalidInputException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidInputException(String field, String reason) {
        super(field + ": " + firstLine(reason));
    }

    private static String firstLine(String text) {
        return text == null ? "not usable" : text.trim().split("\\R", 2)[0];
    }
}
