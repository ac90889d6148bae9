"""All networks: inventory, readiness, resource usage and measurements."""

from . import links, resources
from .frame import Row, board as framed, variable
from .links import Link
from .panels import MORE_IS_BAD, YES_NO, Column, Query, series, stat, table
from .promql import pick, rate, total

SOME = 'namespace=~"$namespace", network=~"$network"'
RUNS = 'namespace=~"$namespace"'
INFO = pick("benchnet_network_info", SOME, 'platform=~"$platform"')
PLATFORMS = {"Corda": "benchnet-corda", "JPaxos": "benchnet-jpaxos", "Malachite": "benchnet-malachite", "Emerald": "benchnet-emerald",
             "PostgreSQL": "benchnet-postgresql"}


def chosen(metric: str) -> str:
    """Returns the metric for the networks of the selected platforms."""
    return f"{pick(metric, SOME)} * on (namespace, network) group_left () {INFO}"


def board():
    return framed(
        "benchnet-networks", "Networks", "Every benchmark network: readiness, members, use of CPU, memory and network, and the runs on it.",
        [variable("namespace", "Namespace", "label_values(benchnet_network_info, namespace)", several=True),
         variable("platform", "Platform", 'label_values(benchnet_network_info{namespace=~"$namespace"}, platform)', several=True),
         variable("network", "Network", 'label_values(benchnet_network_info{namespace=~"$namespace", platform=~"$platform"}, network)', several=True)],
        [_now(), _tables(), _use()],
        pages=[links.page("Getting started", "getting-started.md")], since="now-6h",
    )


def _now() -> Row:
    return Row("", [[
        stat("Networks", "Number of networks.", f"count({INFO})", "none"),
        stat("Not ready", "Networks that are not ready: provisioning, suspended or failing.",
             f"count({INFO}) - sum({chosen('benchnet_network_ready')})", "none", ("green", ((1, "yellow"),))),
        stat("Members ready", "Share of the members of all networks that are ready.",
             f"sum({chosen('benchnet_network_members_ready')}) / sum({chosen('benchnet_network_members')})", "percentunit",
             ("red", ((0.5, "yellow"), (1, "green")))),
        stat("Runs being measured", "Runs currently in warm-up, window or drain.",
             total(pick("benchnet_run_phase", RUNS, 'phase=~"WarmUp|Measuring|Draining"')) + " or vector(0)", "none"),
        stat("Invalid runs", "Invalid runs among the existing ones.",
             f"(count({pick('benchnet_run_valid', RUNS)} == 0)) or vector(0)", "none", MORE_IS_BAD),
        stat("Targets down", "Pods of networks that Prometheus cannot scrape.",
             f"count({pick('up', SOME)} == 0) or vector(0)", "none", MORE_IS_BAD),
        stat("CPU", "Cores that all networks use together, load drivers included.", total(rate(resources.CPU, SOME)), "cores", decimals=2),
    ]])


def _tables() -> Row:
    of_network = {"namespace": links.field("namespace"), "network": links.field("network")}
    keys = ("namespace", "network")
    return Row("Overview", [
        [table("Networks", "One row for each network. Its name links to the dashboard of its platform.", [
            Column("", total(INFO, *keys, "platform", "experiment")),
            Column("", total(pick("benchnet_network_phase", SOME), *keys, "phase")),
            Column("Ready", total(pick("benchnet_network_ready", SOME), *keys), texts=YES_NO),
            Column("Members", total(pick("benchnet_network_members", SOME), *keys)),
            Column("Members ready", total(pick("benchnet_network_members_ready", SOME), *keys)),
            Column("Restarts", total(pick("benchnet_member_restarts_total", SOME), *keys), "none", ("green", ((1, "orange"),))),
            Column("CPU", total(rate(resources.CPU, SOME), *keys), "cores"),
            Column("Memory", total(pick(resources.MEMORY, SOME), *keys), "bytes"),
        ], links={"network": [Link(name, uid, of_network) for name, uid in PLATFORMS.items()]})],
        [table("Runs", "One row for each run; its name links to its dashboard.", [
            Column("", pick("benchnet_run_info", RUNS, 'network=~"$network"'))] + result_columns(RUNS),
            hidden=NOISE, links={"run": [resources.to_run()]})],
    ])


# Labels from scrapes that carry no information in a table.
NOISE = ("__name__", "job", "instance", "endpoint", "service", "pod", "container", "prometheus", "prometheus_replica")


def result_columns(matchers: str) -> list[Column]:
    """Returns the columns with the results of runs."""
    keys = ("namespace", "run")
    return [
        Column("", total(pick("benchnet_run_phase", matchers) + " == 1", *keys, "phase")),
        Column("Valid", total(pick("benchnet_run_valid", matchers), *keys), texts=YES_NO),
        Column("Throughput", total(pick("benchnet_run_throughput_per_second", matchers), *keys), "ops"),
        Column("Median latency", total(pick("benchnet_run_latency_seconds", matchers, 'quantile="0.5"'), *keys), "s"),
        Column("99th percentile", total(pick("benchnet_run_latency_seconds", matchers, 'quantile="0.99"'), *keys), "s"),
        Column("Errors", total(pick("benchnet_run_errors", matchers), *keys), "short", MORE_IS_BAD),
    ]


def _use() -> Row:
    who = ("namespace", "network")
    legend = "{{namespace}}/{{network}}"
    return Row("Resource usage", [
        [
            series("CPU", "Cores, by network, load drivers included.", [Query(total(rate(resources.CPU, SOME), *who), legend)], "cores", stacked=True),
            series("Memory", "Working set, by network.", [Query(total(pick(resources.MEMORY, SOME), *who), legend)], "bytes", stacked=True),
            series("Network", "Bytes that the pods of a network send per second, to each other or to others.",
                   [Query(total(rate("benchnet_pod_network_sent_bytes_total", SOME), *who), legend)], "Bps"),
        ],
        [
            series("Highest share of a CPU limit", "Of the network's container that is closest to its limit.",
                   [Query(f"max by (namespace, network) ({rate(resources.CPU, SOME)} / {pick(resources.LIMIT, SOME)})", legend)],
                   "percentunit", steps=("green", ((0.8, "yellow"), (0.95, "red")))),
            series("Members ready", "Share of a network's members that are ready.",
                   [Query(f"{total(pick('benchnet_network_members_ready', SOME), *who)} / ({total(pick('benchnet_network_members', SOME), *who)} > 0)", legend)],
                   "percentunit", most=1),
            series("Runs by phase", "Number of runs by phase.",
                   [Query(total(pick("benchnet_run_phase", RUNS), "phase"), "{{phase}}")], "short", stacked=True),
        ],
    ])
