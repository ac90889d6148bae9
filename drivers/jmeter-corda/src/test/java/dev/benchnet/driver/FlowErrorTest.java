package dev.benchnet.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.ExecutionException;
import net.corda.core.CordaRuntimeException;
import org.junit.jupiter.api.Test;

class FlowErrorTest {
    @Test
    void theRootCauseNamesTheKind() {
        FlowError error = FlowError.of(new ExecutionException(new IllegalStateException("outer",
                new IllegalArgumentException("inner"))));
        assertEquals("java.lang.IllegalArgumentException", error.kind);
        assertEquals("inner", error.message);
    }

    @Test
    void namesExceptionClassesThatOnlyTheNodeHas() {
        FlowError error = FlowError.of(new CordaRuntimeException("com.example.Contract$Rejected", "value >= 100", null));
        assertEquals("com.example.Contract$Rejected", error.kind);
        assertEquals("value >= 100", error.message);
    }
}
