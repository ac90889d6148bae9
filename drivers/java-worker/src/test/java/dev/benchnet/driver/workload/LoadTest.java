package dev.benchnet.driver.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.benchnet.driver.FatalException;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadTest {
    private static final String PIECE = "{'seconds':10,'fromPerSecond':20,'toPerSecond':0}";
    private static final Worker ALONE = new Worker(0, 1);

    @Test
    void readsAConstantRate() throws Exception {
        Load load = Loads.open("'ratePerSecond':20.5", ALONE);

        assertEquals(20.5, load.ratePerSecond);
        assertEquals(0, load.rates.size());
    }

    @Test
    void readsRates() throws Exception {
        Load load = Loads.open("'rates':" + Collections.nCopies(10_000, PIECE), ALONE);

        assertEquals(10_000, load.rates.size());
        assertEquals(10, load.rates.get(9_999).seconds);
        assertEquals(20, load.rates.get(9_999).fromPerSecond);
        assertEquals(0, load.rates.get(9_999).toPerSecond);
    }

    /** Each row: fields of the load, and the expected error. PIECE is a valid piece. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "'seed':1                            | load.ratePerSecond: must be set if, and only if, load.rates is not, but is missing",
        "'ratePerSecond':20,'rates':[PIECE]  | load.ratePerSecond: must be set if, and only if, load.rates is not, but is 20",
        "'ratePerSecond':0                   | load.ratePerSecond: must be a number above zero, but is 0",
        "'rates':[]                          | load.rates: must have 1 to 10000 pieces, but is []",
        "'rates':20                          | load.rates: must be a list, but is 20",
        "'rates':[PIECE,20]                  | load.rates[1]: must be an object, but is 20",
        "'rates':[PIECE,PIECE,{'seconds':0}] | load.rates[2].seconds: must be a whole number from 1 to 2147483647, but is 0",
        "'rates':[{'seconds':0.5}]           | load.rates[0].seconds: must be a whole number from 1 to 2147483647, but is 0.5",
        "'rates':[{'seconds':1,'fromPerSecond':-1}] | load.rates[0].fromPerSecond: must be a number of at least zero, but is -1",
        "'rates':[{'seconds':1,'fromPerSecond':1}]  | load.rates[0].toPerSecond: must be a number of at least zero, but is missing",
        "'rates':[{'seconds':1,'fromPerSecond':1e999}] | load.rates[0].fromPerSecond: must be a number of at least zero, but is \"Infinity\"",
        "'rates':[{'seconds':1,'fromPerSecond':'1'}] | load.rates[0].fromPerSecond: must be a number of at least zero, but is \"1\"",
    })
    void complaintsNameTheField(String fields, String complaint) {
        FatalException error = assertThrows(FatalException.class, () -> Loads.open(fields.replace("PIECE", PIECE), ALONE));
        assertEquals(complaint, error.getMessage());
    }

    @Test
    void complaintsAreShort() {
        FatalException error = assertThrows(FatalException.class,
                () -> Loads.open("'rates':" + Collections.nCopies(10_001, PIECE), ALONE));
        String expected = "load.rates: must have 1 to 10000 pieces, but is [{\"seconds\":10,";
        assertEquals(expected, error.getMessage().substring(0, expected.length()));
        assertTrue(error.getMessage().length() < 300, error.getMessage());
    }
}
