package dev.benchnet.driver.protocol;

import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Recorder;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Replaces progress.json each second until it is closed. */
public final class ProgressReporter implements AutoCloseable {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    public ProgressReporter(Barrier barrier, Recorder recorder, Clock clock) {
        timer.scheduleAtFixedRate(() -> barrier.progress(Documents.progress(recorder.progress(clock.nanos()))),
                0, 1, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
