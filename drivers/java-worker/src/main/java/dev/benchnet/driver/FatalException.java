package dev.benchnet.driver;

import java.nio.file.NoSuchFileException;

/** Ends the worker. Its message becomes the single line of the file {@code failure} and names the field to change. */
public final class FatalException extends RuntimeException {
    public FatalException(String message) {
        super(message);
    }

    public FatalException(String message, Throwable cause) {
        super(message + ": " + describeCause(cause), cause);
    }

    private static String describeCause(Throwable cause) {
        if (cause instanceof NoSuchFileException) {
            return "there is no such file"; // The message of the exception is only the path.
        }
        return cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
    }
}
