package dev.benchnet.driver.protocol;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Progress;
import dev.benchnet.driver.load.Summary;
import dev.benchnet.driver.load.Timeline;
import dev.benchnet.driver.workload.Orders;

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

    /** What every driver reports; it may add to it before it writes it. */
    public static ObjectNode result(Orders orders, Timeline timeline, Summary summary, Pacing.Schedule schedule) {
        ObjectNode root = JSON.createObjectNode()
                .put("worker", orders.worker.index)
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
        if (orders.unit != null) {
            root.put("unit", orders.unit);
        }
        return root;
    }

    private static void series(ArrayNode array, long[] values) {
        for (long value : values) {
            array.add(value);
        }
    }
}
