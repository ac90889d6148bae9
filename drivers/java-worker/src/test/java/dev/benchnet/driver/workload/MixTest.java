package dev.benchnet.driver.workload;

import static java.util.Arrays.asList;
import static java.util.Collections.frequency;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.benchnet.driver.FatalException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MixTest {
    private static List<Integer> kinds(long from, int count, LongToIntFunction kindAt) {
        List<Integer> kinds = new ArrayList<>();
        for (long place = from; place < from + count; place++) {
            kinds.add(kindAt.applyAsInt(place));
        }
        return kinds;
    }

    /** Each row: two weights, and how often a block has each kind. */
    @ParameterizedTest
    @CsvSource({"1,4, 1,4", "2,8, 1,4", "3,3, 1,1", "10000,1, 10000,1", "6,4, 3,2"})
    void everyBlockHasExactShares(int first, int second, int firstCount, int secondCount) throws Exception {
        Mix mix = Mixes.of(0, first, second);
        int length = firstCount + secondCount;
        for (long block : new long[] {0, 1, 2, 7, 1_000_000_000_000L}) {
            List<Integer> kinds = kinds(block * length, length, mix::kindAt);
            assertEquals(firstCount, frequency(kinds, 0), "block " + block);
            assertEquals(secondCount, frequency(kinds, 1), "block " + block);
        }
    }

    @Test
    void theOrderDependsOnSeedAndBlockOnly() throws Exception {
        Mix mix = Mixes.of(7, 5, 5);
        List<Integer> forward = kinds(0, 30, mix::kindAt);
        assertEquals(forward.subList(0, 10), kinds(0, 10, mix::kindAt), "after another block");
        assertEquals(forward, kinds(0, 30, Mixes.of(7, 5, 5)::kindAt));
        assertNotEquals(forward.subList(0, 10), forward.subList(10, 20));
        assertNotEquals(forward, kinds(0, 30, Mixes.of(8, 5, 5)::kindAt));
    }

    /** The sequence must never change: runs of different versions are compared. */
    @Test
    void theSequenceIsKnown() throws Exception {
        assertEquals(asList(0, 1, 2, 2, 2, 1, 2, 1, 0, 2, 2, 1), kinds(0, 12, Mixes.of(42, 1, 2, 3)::kindAt));
    }

    @Test
    void workersOfAClosedLoopTakeTurnsInWholeBlocks() throws Exception {
        for (int workers = 1; workers <= 4; workers++) {
            Mix mix = Mixes.of(3, 2, 4, 6);
            Set<List<Integer>> firstBlocks = new HashSet<>();
            List<Integer> whole = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                Worker worker = new Worker(i, workers);
                List<Integer> own = kinds(0, 60, n -> mix.kindOf(worker, n));
                assertEquals(asList(10, 20, 30), asList(frequency(own, 0), frequency(own, 1), frequency(own, 2)), i + " of " + workers);
                firstBlocks.add(own.subList(0, 6));
                whole.addAll(own.subList(0, 6));
            }
            assertEquals(kinds(0, 6 * workers, mix::kindAt), whole);
            assertEquals(workers, firstBlocks.size());
        }
    }

    @Test
    void withoutAMixThereIsOneKind() throws Exception {
        Mix mix = Mixes.read("null", 5);
        assertSame(Mix.SINGLE, mix);
        assertEquals(asList(0, 0, 0), kinds(9, 3, mix::kindAt));
        assertEquals(10, mix.shareOf(0, 10));
    }

    @Test
    void sharesAreRoundedUp() throws Exception {
        assertEquals(3, Mixes.of(0, 1, 4).shareOf(0, 11));
        assertEquals(8, Mixes.of(0, 1, 4).shareOf(1, 10));
    }

    /** Each row: a list of kinds, and the expected error. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "[{'weight':1}]               | operation.mix[0].name: must be a text that is not empty, but is missing",
        "[{'name':'a'}]               | operation.mix[0].weight: must be a whole number from 1 to 10000, but is missing",
        "[{'name':'a','weight':0}]    | operation.mix[0].weight: must be a whole number from 1 to 10000, but is 0",
        "{'name':'a','weight':1}      | operation.mix: must be a list, but is {\"name\":\"a\",\"weight\":1}",
    })
    void complaintsNameTheField(String kinds, String complaint) {
        assertEquals(complaint, assertThrows(FatalException.class, () -> Mixes.read(kinds, 0)).getMessage());
    }
}
