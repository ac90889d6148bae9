package dev.benchnet.driver.protocol;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.benchnet.driver.load.IntervalRecording;
import dev.benchnet.driver.load.KindRecording;
import dev.benchnet.driver.load.LoadTotals;
import dev.benchnet.driver.load.PhaseSamples;
import dev.benchnet.driver.load.Progress;
import dev.benchnet.driver.load.ScheduleAdherence;
import dev.benchnet.driver.load.Summary;
import dev.benchnet.driver.load.Timeline;
import dev.benchnet.driver.workload.WorkloadFile;

/** Builds the JSON of progress.json and result.json. */
public final class ProtocolJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ProtocolJson() { }

    public static String progressJson(Progress progress) {
        ObjectNode root = JSON.createObjectNode()
                .put("phase", progress.phase.name())
                .put("completed", progress.completed)
                .put("failed", progress.failed)
                .put("elapsedSeconds", progress.elapsedSeconds)
                .put("throughput", progress.throughput());
        if (progress.completedPerSecond.length > 0) {
            addAll(root.putArray("completedPerSecond"), progress.completedPerSecond);
            addAll(root.putArray("latencyMicrosPerSecond"), progress.latencyMicrosPerSecond);
        }
        putTotals(root.putObject("totals"), progress.totals);
        return root.toString();
    }

    private static void putTotals(ObjectNode node, LoadTotals totals) {
        addAll(node.putArray("latencyCounts"), totals.latencyCounts());
        node.put("latencySumMicros", totals.latencySumMicros());
        ObjectNode errors = node.putObject("errors");
        totals.errors().forEach(errors::put);
    }

    /** Returns the result that all drivers have in common; a driver may add fields before it writes it. */
    public static ObjectNode resultJson(WorkloadFile workload, Timeline timeline, Summary summary) {
        ObjectNode root = JSON.createObjectNode()
                .put("worker", workload.worker.index)
                .put("startMillis", timeline.windowStartEpochMillis)
                .put("windowSeconds", timeline.windowSeconds);
        addAll(root.putArray("completedPerSecond"), summary.completedPerSecond);
        addAll(root.putArray("failedPerSecond"), summary.failedPerSecond);
        addAll(root.putArray("latencyMicrosPerSecond"), summary.latencyMicrosPerSecond);
        putRecording(root, summary.whole);
        if (timeline.intervalSeconds > 0) {
            root.put("intervalSeconds", timeline.intervalSeconds);
            ArrayNode intervals = root.putArray("intervals");
            summary.intervals.forEach(interval -> putRecording(intervals.addObject(), interval));
        }
        if (!summary.kinds.isEmpty()) {
            ArrayNode operations = root.putArray("operations");
            summary.kinds.forEach(kind -> putKind(operations.addObject().put("name", kind.name), kind));
        }
        putPhases(root, summary.phases);
        if (workload.unit != null) {
            root.put("unit", workload.unit);
        }
        return root;
    }

    private static void putKind(ObjectNode node, KindRecording kind) {
        node.put("completed", kind.completedCount()).put("failed", kind.failedCount()).put("histogram", kind.encodedHistogram());
        if (!kind.segments.isEmpty()) {
            ArrayNode segments = node.putArray("segments");
            kind.segments.forEach(segment -> putKind(segments.addObject(), segment));
        }
    }

    private static void putPhases(ObjectNode root, PhaseSamples phases) {
        if (phases.operations().isEmpty()) {
            return;
        }
        ObjectNode samples = root.putObject("phaseSamples");
        phases.names().forEach(samples.putArray("names")::add);
        ArrayNode operations = samples.putArray("operations");
        phases.operations().forEach(row -> addAll(operations.addArray(), row));
    }

    private static void putRecording(ObjectNode node, IntervalRecording part) {
        node.put("histogram", part.encodedHistogram());
        if (part.negativeCount() + part.tooLongCount() > 0) {
            node.putObject("outOfRange").put("negative", part.negativeCount()).put("tooLong", part.tooLongCount());
        }
        ArrayNode errors = node.putArray("errors");
        part.visitErrors((kind, count, example) ->
                errors.addObject().put("kind", kind).put("count", count).put("example", example));
        ScheduleAdherence schedule = part.schedule();
        node.putObject("schedule")
                .put("planned", schedule.planned())
                .put("clientsBusy", schedule.clientsBusy())
                .put("maxWaitMicros", schedule.maxWaitMicros())
                .put("late", schedule.late())
                .put("maxLagMicros", schedule.maxLagMicros());
    }

    private static void addAll(ArrayNode array, long[] values) {
        for (long value : values) {
            array.add(value);
        }
    }
}
