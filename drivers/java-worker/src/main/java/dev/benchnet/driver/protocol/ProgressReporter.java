package dev.benchnet.driver.protocol;

import dev.benchnet.driver.load.Clock;
import dev.benchnet.driver.load.Recorder;
import dev.benchnet.driver.load.Timeline;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Until closed, replaces progress.json each second, and applies the file stop if the window has intervals. */
public final class ProgressReporter implements AutoCloseable {
    private static final long STOP_POLL_MILLIS = 100;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    public ProgressReporter(Barrier barrier, Recorder recorder, Timeline timeline, Clock clock) {
        timer.scheduleAtFixedRate(() -> barrier.writeProgress(ProtocolJson.progressJson(recorder.currentProgress(clock.nanos()))),
                0, 1, TimeUnit.SECONDS);
        if (timeline.intervalSeconds > 0) {
            timer.scheduleAtFixedRate(() -> barrier.readStop().ifPresent(timeline::stopAt),
                    0, STOP_POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
