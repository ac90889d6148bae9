package dev.benchnet.driver.protocol;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.benchnet.driver.corda.LedgerVerdict;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Progress;
import dev.benchnet.driver.load.Summary;
import dev.benchnet.driver.load.Timeline;

/** The JSON of progress.json and result.json. */
public final class Documents {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Documents() { }

    public static String progress(Progress progress) {
        return JSON.createObjectNode()
                .put("phase", progress.phase.name())
                .put("completed", progress.completed)
                .put("failed", progress.failed)
                .put("elapsedSeconds", progress.elapsedSeconds)
                .put("throughput", progress.throughput())
                .toString();
    }

    public static String result(int worker, Timeline timeline, Summary summary, Pacing.Schedule schedule,
            LedgerVerdict ledger) {
        ObjectNode root = JSON.createObjectNode()
                .put("worker", worker)
                .put("startMillis", timeline.windowStartEpochMillis)
                .put("windowSeconds", timeline.windowSeconds)
                .put("histogram", summary.encodedHistogram());
        series(root.putArray("completedPerSecond"), summary.completedPerSecond);
        series(root.putArray("failedPerSecond"), summary.failedPerSecond);
        ArrayNode errors = root.putArray("errors");
        summary.errors((kind, count, example) ->
                errors.addObject().put("kind", kind).put("count", count).put("example", example));
        root.putObject("schedule")
                .put("planned", schedule.planned)
                .put("late", schedule.late)
                .put("maxLagMicros", schedule.maxLagMicros);
        root.putObject("ledger")
                .put("checked", ledger.checked)
                .put("expected", ledger.expected)
                .put("recorded", ledger.recorded)
                .put("reason", ledger.reason);
        return root.toString();
    }

    private static void series(ArrayNode array, long[] values) {
        for (long value : values) {
            array.add(value);
        }
    }
}
