package dev.benchnet.driver.protocol;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.benchnet.driver.load.Pacing;
import dev.benchnet.driver.load.Part;
import dev.benchnet.driver.load.Progress;
import dev.benchnet.driver.load.Summary;
import dev.benchnet.driver.load.Timeline;
import dev.benchnet.driver.workload.Orders;

/** Builds the JSON of progress.json and result.json. */
public final class Documents {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Documents() { }

    public static String progress(Progress progress) {
        ObjectNode root = JSON.createObjectNode()
                .put("phase", progress.phase.name())
                .put("completed", progress.completed)
                .put("failed", progress.failed)
                .put("elapsedSeconds", progress.elapsedSeconds)
                .put("throughput", progress.throughput());
        if (progress.completedPerSecond.length > 0) {
            series(root.putArray("completedPerSecond"), progress.completedPerSecond);
        }
        return root.toString();
    }

    /** Returns the result that all drivers have in common; a driver may add fields before it writes it. */
    public static ObjectNode result(Orders orders, Timeline timeline, Summary summary, Pacing pacing) {
        ObjectNode root = JSON.createObjectNode()
                .put("worker", orders.worker.index)
                .put("startMillis", timeline.windowStartEpochMillis)
                .put("windowSeconds", timeline.windowSeconds);
        series(root.putArray("completedPerSecond"), summary.completedPerSecond);
        series(root.putArray("failedPerSecond"), summary.failedPerSecond);
        part(root, summary.whole, pacing.schedule());
        if (timeline.intervalSeconds > 0) {
            root.put("intervalSeconds", timeline.intervalSeconds);
            ArrayNode intervals = root.putArray("intervals");
            Pacing.Schedule[] schedules = pacing.schedules();
            for (int i = 0; i < schedules.length; i++) {
                part(intervals.addObject(), summary.intervals.get(i), schedules[i]);
            }
        }
        if (orders.unit != null) {
            root.put("unit", orders.unit);
        }
        return root;
    }

    private static void part(ObjectNode node, Part part, Pacing.Schedule schedule) {
        node.put("histogram", part.encodedHistogram());
        ArrayNode errors = node.putArray("errors");
        part.errors((kind, count, example) ->
                errors.addObject().put("kind", kind).put("count", count).put("example", example));
        node.putObject("schedule")
                .put("planned", schedule.planned)
                .put("late", schedule.late)
                .put("maxLagMicros", schedule.maxLagMicros);
    }

    private static void series(ArrayNode array, long[] values) {
        for (long value : values) {
            array.add(value);
        }
    }
}
