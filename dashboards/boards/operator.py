"""The operator itself: reconciles, queues, requests to the API server and resource usage."""

from . import links
from .frame import Row, board as framed, label_variable
from .panels import Query, series, stat
from .promql import max_by, quantile, rate, select, sum_by

OURS = 'controller=~"benchmark.+"'
CONTROLLERS = 'namespace="$namespace", pod=~"$pod", controller=~"$controller"'
PODS = 'namespace="$namespace", pod=~"$pod"'
# The queue of a controller has the controller's name.
QUEUES = 'namespace="$namespace", pod=~"$pod", name=~"$controller"'
PASSES, PASS = "controller_runtime_reconcile_total", "controller_runtime_reconcile_time_seconds"


def board():
    return framed(
        "benchnet-operator", "Operator", "The operator: reconciles, their duration and errors, queues, requests to the API server, memory.",
        [label_variable("namespace", "Namespace", f"label_values({PASSES}{{{OURS}}}, namespace)"),
         label_variable("pod", "Pod", f'label_values({PASSES}{{{OURS}, namespace="$namespace"}}, pod)', several=True),
         label_variable("controller", "Controller", f'label_values({PASSES}{{{OURS}, namespace="$namespace"}}, controller)', several=True)],
        [_overview(), _reconciles(), _queues(), _requests(), _process()],
        pages=[links.documentation_link("How it works", "architecture.md")], since="now-6h",
    )


def _overview() -> Row:
    errors = rate(PASSES, CONTROLLERS, 'result="error"')
    return Row("", [[
        stat("Passes", "Reconciles per second. An idle operator has almost none.", sum_by(rate(PASSES, CONTROLLERS)), "ops", decimals=2),
        stat("Failed reconciles", "Reconciles per second that ended with an error and are retried.", f"{sum_by(errors)} or vector(0)", "ops",
             ("green", ((0.01, "yellow"), (0.2, "red"))), decimals=2),
        stat("Reconcile duration, 99th percentile", "From the durations of the reconciles in the last interval.", quantile(0.99, PASS, CONTROLLERS), "s",
             ("green", ((1, "yellow"), (5, "red")))),
        stat("Waiting", "Resources that wait for a reconcile.", sum_by(select("workqueue_depth", QUEUES)), "short", ("green", ((50, "yellow"), (500, "red")))),
        stat("Requests to the API server", "Per second.", sum_by(rate("rest_client_requests_total", PODS)), "reqps", decimals=2),
        stat("Memory", "Of the process.", sum_by(select("process_resident_memory_bytes", PODS)), "bytes"),
        stat("Leaders", "Leading replicas: one, or briefly none while one replaces another.",
             sum_by(select("leader_election_master_status", PODS)), "none", ("red", ((1, "green"), (2, "red"))), sparkline=False),
    ]])


def _reconciles() -> Row:
    return Row("Passes", [[
        series("Passes", "Reconciles per second, by kind and result.",
               [Query(sum_by(rate(PASSES, CONTROLLERS), "controller", "result") + " > 0 or " + sum_by(rate(PASSES, CONTROLLERS), "controller"),
                      "{{controller}} {{result}}")], "ops"),
        series("Reconcile duration", "99th percentile and median, by kind.",
               [Query(quantile(0.99, PASS, CONTROLLERS, by=("controller",)), "{{controller}} 99th percentile"),
                Query(quantile(0.5, PASS, CONTROLLERS, by=("controller",)), "{{controller}} median")], "s"),
        series("Concurrent reconciles", "Busy workers by kind. Reconciles wait when all are busy: maxConcurrentReconciles.",
               [Query(sum_by(select("controller_runtime_active_workers", CONTROLLERS), "controller"), "{{controller}}")], "short"),
    ]])


def _queues() -> Row:
    return Row("Queues", [[
        series("Waiting", "Resources that wait for a reconcile, by kind.", [Query(sum_by(select("workqueue_depth", QUEUES), "name"), "{{name}}")], "short"),
        series("Time in the queue", "99th percentile of the time from a change until its reconcile starts.",
               [Query(quantile(0.99, "workqueue_queue_duration_seconds", QUEUES, by=("name",)), "{{name}}")], "s"),
        series("Requeued", "Resources requeued per second, after an error or for a later reconcile.",
               [Query(sum_by(rate("workqueue_retries_total", QUEUES), "name"), "{{name}}")], "ops"),
        series("Longest active reconcile", "Age of the longest active reconcile. One that only grows hangs.",
               [Query(max_by(select("workqueue_longest_running_processor_seconds", QUEUES), "name"), "{{name}}")], "s"),
    ]])


def _requests() -> Row:
    return Row("API server", [[
        series("Requests by method", "Requests per second. An idle operator writes nothing.",
               [Query(sum_by(rate("rest_client_requests_total", PODS), "method"), "{{method}}")], "reqps"),
        series("Unsuccessful responses", "Requests per second by code: 409 is a conflict, 429 rate limiting, 5xx a server error.",
               [Query(sum_by(rate("rest_client_requests_total", PODS, 'code!~"2.."'), "code") + " or vector(0)", "{{code}}")], "reqps"),
    ]])


def _process() -> Row:
    return Row("Process", [[
        series("CPU", "Cores that the process uses.", [Query(sum_by(rate("process_cpu_seconds_total", PODS), "pod"), "{{pod}}")], "cores"),
        series("Memory", "Resident memory, and Go's heap as part of it.",
               [Query(sum_by(select("process_resident_memory_bytes", PODS), "pod"), "{{pod}} resident"),
                Query(sum_by(select("go_memstats_heap_inuse_bytes", PODS), "pod"), "{{pod}} heap")], "bytes"),
        series("Goroutines", "A number that only grows is a leak.", [Query(sum_by(select("go_goroutines", PODS), "pod"), "{{pod}}")], "short"),
    ]])
