"""Internals of a Corda network: flows, checkpoints, database pools, message brokers, JVMs."""

from . import links, load, resources, variables
from .frame import Row, board as framed
from .panels import MORE_IS_BAD, PLAIN, SHARE_OF_LIMIT, Query, series, stat
from .promql import MEMBERS, NETWORK, max_by, rate, select, sum_by

FINISHED, STARTED = "corda_flows_finished_total", "corda_flows_started_total"
TIMED = "corda_flow_duration_count_total"
P2P = 'broker="P2P"'


def board():
    return framed(
        "benchnet-corda", "Corda",
        "Internals of the nodes and notary of one Corda network: flows, checkpoints, database pool, message brokers and JVM.",
        variables.platform_variables(STARTED), [_overview(), load.row(), _flows(), _database(), _brokers(), _jvm(), resources.row(), resources.hosts(MEMBERS)],
        marks=load.window_marks(NETWORK), pages=[links.documentation_link("Corda in benchnet", "corda.md")],
    )


def _overview() -> Row:
    return Row("", [[
        stat("Flows finished", "Flows that ended per second on all chosen nodes, initiating and responding ones. One operation of a "
             "workload may be several flows on several nodes.", sum_by(rate(FINISHED, MEMBERS)), "suffix: flows/s", decimals=1),
        stat("In flight", "Flows that were started and have not ended.", sum_by(select("corda_flows_in_flight", MEMBERS)), "short"),
        stat("Checkpoints", "Checkpoints written per second. A flow writes one whenever it waits.",
             sum_by(rate("corda_checkpoints_total", MEMBERS)), "wps", decimals=1),
        stat("Waiting in brokers", "Messages in all queues of the peer-to-peer brokers. A growing queue shows a node that cannot keep up.",
             sum_by(select("corda_broker_messages", MEMBERS, P2P)), "short", ("green", ((100, "yellow"), (1000, "red")))),
        stat("Waiting for the database", "Threads that wait for a connection of the pool.",
             sum_by(select("corda_database_pool_connections", MEMBERS, 'state="Pending"')), "short", MORE_IS_BAD),
        stat("Nodes", "Nodes and notaries that are scraped.", f"count({select('corda_flows_in_flight', MEMBERS)})", "none", PLAIN),
    ]])


def _flows() -> Row:
    return Row("Flows", [
        [
            series("Flows finished", "Flows that ended per second, by node.", [Query(sum_by(rate(FINISHED, MEMBERS), "member"), "{{member}}")], "suffix: flows/s"),
            series("Flows started", "Flows started per second, by node. If more start than finish, work accumulates.",
                   [Query(sum_by(rate(STARTED, MEMBERS), "member"), "{{member}}")], "suffix: flows/s"),
            series("In flight", "Flows that were started and have not ended, by node.",
                   [Query(sum_by(select("corda_flows_in_flight", MEMBERS), "member"), "{{member}}")], "short"),
        ],
        [
            series("Flows by class", "Flows that ended per second, by class, on all chosen nodes.",
                   [Query(sum_by(rate(TIMED, MEMBERS), "flow", "outcome"), "{{flow}} {{outcome}}")], "suffix: flows/s"),
            series("Checkpoints", "Checkpoints that are written per second, by node.",
                   [Query(sum_by(rate("corda_checkpoints_total", MEMBERS), "member"), "{{member}}")], "wps"),
            series("Checkpoint volume", "Bytes of checkpoints that are written per second, by node.",
                   [Query(sum_by(select("corda_checkpoint_bytes_per_second", MEMBERS), "member"), "{{member}}")], "Bps"),
        ],
    ])


def _database() -> Row:
    pool = "corda_database_pool_connections"
    return Row("Database pool", [[
        series("Connections in use", "Connections of the pool in use, by node.",
               [Query(sum_by(select(pool, MEMBERS, 'state="Active"'), "member"), "{{member}}")], "short"),
        series("Pool in use", "Share of the pool's maximum connections in use. At 100 % threads wait.",
               [Query(f"""{sum_by(select(pool, MEMBERS, 'state="Active"'), "member")} / {sum_by(select(pool, MEMBERS, 'state="Max"'), "member")}""",
                      "{{member}}")], "percentunit", most=1, steps=SHARE_OF_LIMIT),
        series("Wait for a connection", "99th percentile of the time until a thread has a connection.",
               [Query(max_by(select("corda_database_pool_wait_seconds", MEMBERS, 'quantile="0.99"'), "member"), "{{member}}")], "s"),
        series("Connection held", "99th percentile of the time for which a connection is held: about the length of a database transaction.",
               [Query(max_by(select("corda_database_pool_usage_seconds", MEMBERS, 'quantile="0.99"'), "member"), "{{member}}")], "s"),
    ]])


def _brokers() -> Row:
    return Row("Message brokers", [[
        series("Messages waiting", "Messages in all queues of a node's peer-to-peer broker: what comes in and what waits for peers. Of the RPC broker such a number "
               "is not meaningful: see Queues.",
               [Query(sum_by(select("corda_broker_messages", MEMBERS, P2P), "member"), "{{member}}")], "short"),
        series("Messages added", "Messages that a node's brokers take in per second: P2P in all queues, RPC from clients.",
               [Query(sum_by(rate("corda_broker_messages_added_total", MEMBERS), "member", "broker"), "{{member}} {{broker}}")], "suffix: msg/s"),
        series("Queues", "Messages that wait in single queues: p2p.inbound is what a node has received and not yet handled, rpc.server the calls of RPC "
               "clients that it has not taken. The node acknowledges calls a megabyte at a time, long after it has answered them; those are left out. "
               "Calls that wait for one of its RPC threads are not in a queue of the broker.",
               [Query(sum_by(select("corda_queue_messages", MEMBERS, 'queue="p2p.inbound"'), "member"), "{{member}} p2p.inbound"),
                Query(_calls_waiting(), "{{member}} rpc.server")], "short"),
    ]])


def _calls_waiting() -> str:
    """Returns an estimate: the two attributes are read one after the other, and calls may arrive in between."""
    there = sum_by(select("corda_queue_messages", MEMBERS, 'queue="rpc.server"'), "member")
    taken = sum_by(select("corda_queue_unacknowledged_messages", MEMBERS, 'queue="rpc.server"'), "member")
    return f"clamp_min({there} - {taken}, 0)"


def _jvm() -> Row:
    return Row("JVM", [[
        series("Heap", "Heap in use, by node. Its minimum after a collection is what the node needs.",
               [Query(sum_by(select("jvm_memory_used_bytes", MEMBERS, 'area="heap"'), "member"), "{{member}}")], "bytes"),
        series("Heap used of the maximum", "Share of the JVM's maximum heap.",
               [Query(f"""{sum_by(select("jvm_memory_used_bytes", MEMBERS, 'area="heap"'), "member")} / """
                      f"""{sum_by(select("jvm_memory_max_bytes", MEMBERS, 'area="heap"'), "member")}""", "{{member}}")],
               "percentunit", most=1, steps=SHARE_OF_LIMIT),
        series("Garbage collection", "Share of time in which garbage collection paused the JVM.",
               [Query(sum_by(rate("jvm_gc_collection_seconds_sum", MEMBERS), "member"), "{{member}}")], "percentunit",
               steps=("green", ((0.05, "yellow"), (0.2, "red")))),
        series("Threads", "Threads of the JVM.", [Query(sum_by(select("jvm_threads_current", MEMBERS), "member"), "{{member}}")], "short"),
    ]])
