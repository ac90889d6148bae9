package dev.benchnet.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.benchnet.driver.corda.LedgerCheck;
import dev.benchnet.driver.corda.LedgerVerdict;
import dev.benchnet.driver.corda.Member;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WorkloadSessionTest {
    @Test
    @Timeout(60)
    void aMemberThatBlocksLeavesTheLedgerUnchecked() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        assertEquals("ask the members: no answer within 1 s", verify(() -> {
            never.await();
            return LedgerVerdict.unchecked("answered");
        }));
    }

    @Test
    void aMemberThatFailsLeavesTheLedgerUnchecked() throws Exception {
        assertEquals("ask the members: java.lang.IllegalStateException: closed", verify(() -> {
            throw new IllegalStateException("closed");
        }));
    }

    private static String verify(Answer answer) throws InterruptedException {
        ObjectNode written = JsonNodeFactory.instance.objectNode();
        WorkloadSession.verify(new LedgerCheck() {
            @Override
            public void recordResult(Member member, Object result) {}

            @Override
            public LedgerVerdict verify(Duration patience) throws InterruptedException {
                return answer.get();
            }
        }, Duration.ofSeconds(1)).writeTo(written);
        return written.get("reason").asText();
    }

    private interface Answer {
        LedgerVerdict get() throws InterruptedException;
    }
}
