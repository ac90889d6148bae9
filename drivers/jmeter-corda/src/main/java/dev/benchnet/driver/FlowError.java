package dev.benchnet.driver;

import net.corda.core.CordaThrowable;

/** The kind of a flow's error: the class of its root cause, even if only the node has that class. */
public final class FlowError {
    public final String kind;
    public final String message;

    private FlowError(String kind, String message) {
        this.kind = kind;
        this.message = message;
    }

    public static FlowError of(Throwable error) {
        Throwable root = error;
        // Do not unwrap a FatalException: its cause does not name the field.
        while (root.getCause() != null && root.getCause() != root && !(root instanceof FatalException)) {
            root = root.getCause();
        }
        if (root instanceof CordaThrowable && ((CordaThrowable) root).getOriginalExceptionClassName() != null) {
            CordaThrowable carried = (CordaThrowable) root;
            return new FlowError(carried.getOriginalExceptionClassName(), carried.getOriginalMessage());
        }
        return new FlowError(root.getClass().getName(), root.getMessage());
    }
}
