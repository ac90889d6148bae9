package dev.benchnet.driver.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class StructuredLogTest {
    @Test
    void quotesWhatAReaderOfPairsWouldSplit() {
        assertEquals(" msg=ended seconds=1.5 err=\"no space left: \\\"volume\\\"\\nC:\\\\x\\x07\" empty=\"\" pair=\"a=b\" bare=!#[]~",
            StructuredLog.formatPairs("msg", "ended", "seconds", 1.5, "err", "no space left: \"volume\"\nC:\\x\007", "empty", "", "pair", "a=b", "bare", "!#[]~"));
    }
}
