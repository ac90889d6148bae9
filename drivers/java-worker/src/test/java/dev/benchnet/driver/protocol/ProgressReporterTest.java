package dev.benchnet.driver.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Timeline;
import dev.benchnet.driver.workload.Measure;
import dev.benchnet.driver.workload.Measures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressReporterTest {
    @TempDir
    Path folder;

    private Timeline start(Measure measure) {
        return Timeline.startingAt(System.currentTimeMillis() + 500, measure, Clock.SYSTEM);
    }

    private ProgressReporter report(Timeline timeline) {
        return new ProgressReporter(new Barrier(folder), new Recorder(timeline), timeline, Clock.SYSTEM);
    }

    private void writeStop(String text) throws Exception {
        Files.write(folder.resolve("new"), text.getBytes("UTF-8"));
        Files.move(folder.resolve("new"), folder.resolve("stop"), StandardCopyOption.REPLACE_EXISTING);
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long until = System.nanoTime() + 60_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < until, what);
            Thread.sleep(10);
        }
    }

    private String progress() {
        try {
            return new String(Files.readAllBytes(folder.resolve("progress.json")), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void pollsAgainAfterAnError() throws Exception {
        Timeline timeline = start(Measures.stoppingEarly(20, 0, 5));
        long whole = timeline.windowUntil();
        writeStop("soon");
        try (ProgressReporter reporter = report(timeline)) {
            await("progress", () -> Files.exists(folder.resolve("progress.json")));
            writeStop(Long.toString(timeline.windowStartEpochMillis + 5000));
            await("the stop is applied", () -> timeline.windowUntil() < whole);
        }
    }

    @Test
    void doesNotReadTheStopOfAFixedWindow() throws Exception {
        Timeline timeline = start(Measures.of(0, 20, 0, 5));
        writeStop("soon");
        try (ProgressReporter reporter = report(timeline)) {
            await("progress of the window", () -> progress().contains("Window"));
        }
        assertFalse(progress().contains("PerSecond"), "it does not list the seconds");
        assertEquals(timeline.windowFrom + 20_000_000_000L, timeline.windowUntil());
    }
}
