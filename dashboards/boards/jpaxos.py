"""A JPaxos network. Its replicas have no metrics of their own: the agent derives them from the logs."""

from . import links, load, resources, variables
from .frame import Row, board as framed
from .panels import PLAIN, Query, series, stat
from .promql import MEMBERS, NETWORK, max_by, rate, select, sum_by

EXECUTED = "benchnet_member_operations_total"


def board():
    return framed(
        "benchnet-jpaxos", "JPaxos", "Replicas of one JPaxos network: requests executed, collections, disk and network.",
        variables.platform_variables(EXECUTED), [_overview(), load.row(), _replicas(), resources.row(), resources.hosts(MEMBERS)],
        marks=load.window_marks(NETWORK), pages=[links.documentation_link("JPaxos in benchnet", "jpaxos.md")],
    )


def _overview() -> Row:
    return Row("", [[
        stat("Requests executed", "Requests that the fastest replica executes per second. Every replica executes every request once, so "
             "that this is the network's throughput.", max_by(rate(EXECUTED, MEMBERS)), "reqps", decimals=0),
        stat("Behind the first", "How many requests the slowest replica has executed less than the first, since their start. It "
             "returns to zero when the load ends.", f"max({select(EXECUTED, MEMBERS)}) - min({select(EXECUTED, MEMBERS)})", "short"),
        stat("Replicas", "Replicas that are scraped.", f"count({select(EXECUTED, MEMBERS)})", "none", PLAIN),
        stat("CPU", "Cores used by all selected replicas.", sum_by(rate(resources.CPU, MEMBERS)), "cores", decimals=2),
    ]])


def _replicas() -> Row:
    return Row("Replicas", [[
        series("Requests executed", "Requests per second according to the replica's log.",
               [Query(sum_by(rate(EXECUTED, MEMBERS), "member"), "{{member}}")], "reqps"),
        series("Executed since the start", "Total requests. Diverging lines show replicas that fall behind.",
               [Query(sum_by(select(EXECUTED, MEMBERS), "member"), "{{member}}")], "short"),
        series("Garbage collection", "Share of time in which garbage collection paused the JVM.",
               [Query(sum_by(rate("benchnet_jvm_gc_seconds_total", MEMBERS), "member"), "{{member}}")], "percentunit",
               steps=("green", ((0.05, "yellow"), (0.2, "red")))),
    ]])
