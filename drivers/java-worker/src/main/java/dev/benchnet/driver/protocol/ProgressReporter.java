package dev.benchnet.driver.protocol;

import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Timeline;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Until closed, replaces progress.json each second, and applies the file stop if the window may stop early. */
public final class ProgressReporter implements AutoCloseable {
    private static final long STOP_POLL_MILLIS = 100;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    public ProgressReporter(Barrier barrier, Recorder recorder, Timeline timeline, Clock clock) {
        repeat(1000, () -> barrier.writeProgress(ProtocolJson.progressJson(recorder.currentProgress(clock.nanos()))));
        if (timeline.stopsEarly) {
            repeat(STOP_POLL_MILLIS, () -> barrier.readStop().ifPresent(timeline::stopAt));
        }
    }

    /** Repeats an action, also after an error such as a full volume, which is logged. */
    private void repeat(long periodMillis, Runnable action) {
        timer.scheduleAtFixedRate(() -> {
            try {
                action.run();
            } catch (RuntimeException e) {
                StructuredLog.write("WARN", "progress not written, or stop not read", "err", e.getMessage());
            }
        }, 0, periodMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
