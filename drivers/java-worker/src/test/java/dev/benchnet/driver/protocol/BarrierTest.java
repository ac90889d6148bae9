package dev.benchnet.driver.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.benchnet.driver.FatalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BarrierTest {
    @TempDir
    Path folder;

    @Test
    void waitsForTheStart() throws Exception {
        Barrier barrier = new Barrier(folder);
        CompletableFuture<Long> start = CompletableFuture.supplyAsync(() -> {
            try {
                return barrier.awaitStart();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Thread.sleep(100);
        assertFalse(start.isDone());

        Files.write(folder.resolve("s"), "1795230722994\n".getBytes("UTF-8"));
        Files.move(folder.resolve("s"), folder.resolve("start"));

        assertEquals(1795230722994L, start.get(2, TimeUnit.MINUTES));
    }

    @Test
    void refusesAStartThatIsNoNumber() throws IOException {
        Files.write(folder.resolve("start"), "now".getBytes("UTF-8"));
        assertEquals("start: must be Unix epoch milliseconds, but is \"now\"",
                assertThrows(FatalException.class, () -> new Barrier(folder).awaitStart()).getMessage());
    }

    @Test
    void readsTheStopFileOnceItExists() throws IOException {
        Barrier barrier = new Barrier(folder);
        assertFalse(barrier.readStop().isPresent());
        Files.write(folder.resolve("stop"), "1795230722994\n".getBytes("UTF-8"));
        assertEquals(1795230722994L, barrier.readStop().getAsLong());
    }

    @Test
    void writesFilesAtomically() throws IOException {
        Barrier barrier = new Barrier(folder);
        barrier.writeReady();
        barrier.writeProgress("{\"a\":1}");
        barrier.writeProgress("{\"a\":2}");
        barrier.writeFailure("two\nlines");

        assertArrayEquals(new String[] {"failure", "progress.json", "ready"}, sortedNames());
        assertEquals("{\"a\":2}", new String(Files.readAllBytes(folder.resolve("progress.json")), "UTF-8"));
        assertEquals("two lines\n", new String(Files.readAllBytes(folder.resolve("failure")), "UTF-8"));
    }

    private String[] sortedNames() {
        String[] names = folder.toFile().list();
        java.util.Arrays.sort(names);
        return names;
    }
}
