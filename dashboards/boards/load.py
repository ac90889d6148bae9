"""The load on a network as its workers report it while it runs, and the measured windows of runs."""

from .frame import Row, TimeMarks
from .panels import Query, series
from .promql import NETWORK, quantile, rate, select, sum_by

LATENCY, DUE = "benchnet_worker_latency_seconds", "benchnet_worker_operations_due_total"
START, END = "benchnet_run_window_start_timestamp_seconds", "benchnet_run_window_end_timestamp_seconds"
SEGMENT = "benchnet_run_segment_start_timestamp_seconds"
FAULT = "benchnet_run_fault_start_timestamp_seconds"
CURRENT_SEGMENT = "benchnet_worker_segment"
RUN_KEYS = "namespace, run"


def row(matchers: str = NETWORK) -> Row:
    """Returns the row of the load, warm-up and drain included. Its panels apply to all platforms."""
    return Row("Load", [[
        series("Latency", "Latency of the operations that ended in the last interval, as the clients see it, from the time at which they were due; "
               "in a closed loop the service time. Estimated from buckets four per decade: results have exact values.", [
                   Query(quantile(0.5, LATENCY, matchers), "median"), Query(quantile(0.95, LATENCY, matchers), "95th percentile"),
                   Query(quantile(0.99, LATENCY, matchers), "99th percentile")], "s"),
        series("Offered and achieved", "Operations per second that were due by the rate of an open loop, and that succeeded. A closed loop offers none: "
               "its clients wait for the system.", [
                   Query(sum_by(rate(DUE, matchers)), "offered"), Query(sum_by(rate(LATENCY + "_count", matchers)), "achieved")], "ops"),
        series("Errors", "Operations that failed per second, by kind.",
               [Query(sum_by(rate("benchnet_worker_errors_total", matchers), "kind"), "{{kind}}")], "ops"),
    ]])


def segments_row(matchers: str) -> Row:
    """Returns the row of the load by segment of the window, while the load is in it."""
    def by_segment(metric: str, *labels: str) -> str:
        joined = f"{rate(metric, matchers)} * on (namespace, pod) group_left (segment) {select(CURRENT_SEGMENT, matchers)}"
        return sum_by(joined, *labels, "segment")

    return Row("Segments of the window", [[
        series("Achieved by segment", "Operations per second that succeeded, by segment of a load profile, or of a window with faults.",
               [Query(by_segment(LATENCY + "_count"), "{{segment}}")], "ops"),
        series("95th percentile by segment", "95th percentile of the latency, estimated as in the row Load, by segment.",
               [Query(f"histogram_quantile(0.95, {by_segment(LATENCY + '_bucket', 'le')})", "{{segment}}")], "s"),
    ]])


def window_millis(metric: str, matchers: str, keys: str = RUN_KEYS) -> str:
    """Returns a boundary of the windows of runs, or the start of their segments or faults, in milliseconds since 1970."""
    return f"floor(max by ({keys}) ({select(metric, matchers)}) * 1000)"


def window_marks(runs: str) -> list[TimeMarks]:
    """Returns the marks of the measured windows of the runs that match. Their texts link to the run, at the time of its window."""
    link = '<a href="d/benchnet-run?var-namespace={{namespace}}&var-run={{run}}&from={{from}}&to={{to}}">'
    text = link + "The measured window of {{run}}</a>"
    return [TimeMarks("Window begins", _mark(START, runs), "green", "Window begins", text),
            TimeMarks("Window ends", _mark(END, runs), "red", "Window ends", text),
            TimeMarks("Segment begins", _mark(SEGMENT, runs, RUN_KEYS + ", segment"), "blue", "Segment begins", link + "Segment {{segment}} of {{run}}</a>"),
            TimeMarks("Fault begins", _mark(FAULT, runs, RUN_KEYS + ", fault, type"), "orange", "Fault begins", link + "{{type}} {{fault}} in {{run}}</a>")]


def _mark(metric: str, runs: str, keys: str = RUN_KEYS) -> str:
    """Returns a boundary of windows, or start of segments or faults, with the labels workload, and from and to with both boundaries of the window."""
    scope = 'namespace="$namespace"'
    joined = f"on ({RUN_KEYS}) group_left"
    info = f"max by ({RUN_KEYS}, workload) ({select('benchnet_run_info', runs)})"
    return (f"{window_millis(metric, scope, keys)} * {joined} (workload) {info} "
            f"""* {joined} (from) count_values by ({RUN_KEYS}) ("from", {window_millis(START, scope)}) """
            f"""* {joined} (to) count_values by ({RUN_KEYS}) ("to", {window_millis(END, scope)})""")
