"""All networks: inventory, readiness, resource usage and measurements."""

from . import links, load, resources
from .frame import Row, board as framed, label_variable
from .links import Link
from .panels import MORE_IS_BAD, YES_NO, Column, Query, series, stat, table
from .promql import rate, select, sum_by

SOME = 'namespace=~"$namespace", network=~"$network"'
RUNS = 'namespace=~"$namespace"'
INFO = select("benchnet_network_info", SOME, 'platform=~"$platform"')
PLATFORMS = {"Corda": "benchnet-corda", "JPaxos": "benchnet-jpaxos", "CometBFT": "benchnet-cometbft",
             "Malachite": "benchnet-malachite", "MalachiteEVM": "benchnet-malachite-evm", "Emerald": "benchnet-emerald",
             "PostgreSQL": "benchnet-postgresql"}


def of_chosen_platforms(metric: str) -> str:
    """Returns the metric for the networks of the selected platforms."""
    return f"{select(metric, SOME)} * on (namespace, network) group_left () {INFO}"


def board():
    return framed(
        "benchnet-networks", "Networks", "Every benchmark network: readiness, members, use of CPU, memory and network, and the runs on it.",
        [label_variable("namespace", "Namespace", "label_values(benchnet_network_info, namespace)", several=True),
         label_variable("platform", "Platform", 'label_values(benchnet_network_info{namespace=~"$namespace"}, platform)', several=True),
         label_variable("network", "Network", 'label_values(benchnet_network_info{namespace=~"$namespace", platform=~"$platform"}, network)', several=True)],
        [_overview(), _tables(), _resource_use()],
        pages=[links.documentation_link("Getting started", "getting-started.md")], since="now-6h",
    )


def _overview() -> Row:
    return Row("", [[
        stat("Networks", "Number of networks.", f"count({INFO})", "none"),
        stat("Not ready", "Networks that are not ready: provisioning, paused or failing.",
             f"count({INFO}) - sum({of_chosen_platforms('benchnet_network_ready')})", "none", ("green", ((1, "yellow"),))),
        stat("Members ready", "Share of the members of all networks that are ready.",
             f"sum({of_chosen_platforms('benchnet_network_members_ready')}) / sum({of_chosen_platforms('benchnet_network_members')})", "percentunit",
             ("red", ((0.5, "yellow"), (1, "green")))),
        stat("Runs being measured", "Runs currently in warm-up, window or drain.",
             sum_by(select("benchnet_run_phase", RUNS, 'phase=~"WarmUp|Measuring|Draining"')) + " or vector(0)", "none"),
        stat("Invalid runs", "Invalid runs among the existing ones.",
             f"(count({select('benchnet_run_valid', RUNS)} == 0)) or vector(0)", "none", MORE_IS_BAD),
        stat("Targets down", "Pods of networks that Prometheus cannot scrape.",
             f"count({select('up', SOME)} == 0) or vector(0)", "none", MORE_IS_BAD),
        stat("CPU", "Cores that all networks use together, load drivers included.", sum_by(rate(resources.CPU, SOME)), "cores", decimals=2),
    ]])


def _tables() -> Row:
    of_network = {"namespace": links.field_reference("namespace"), "network": links.field_reference("network")}
    keys = ("namespace", "network")
    return Row("Overview", [
        [table("Networks", "One row for each network. Its name links to the dashboard of its platform.", [
            Column("", sum_by(INFO, *keys, "platform", "experiment")),
            Column("", sum_by(select("benchnet_network_phase", SOME), *keys, "phase")),
            Column("Ready", sum_by(select("benchnet_network_ready", SOME), *keys), texts=YES_NO),
            Column("Members", sum_by(select("benchnet_network_members", SOME), *keys)),
            Column("Members ready", sum_by(select("benchnet_network_members_ready", SOME), *keys)),
            Column("Restarts", sum_by(select("benchnet_member_restarts_total", SOME), *keys), "none", ("green", ((1, "orange"),))),
            Column("CPU", sum_by(rate(resources.CPU, SOME), *keys), "cores"),
            Column("Memory", sum_by(select(resources.MEMORY, SOME), *keys), "bytes"),
        ], links={"network": [Link(name, uid, of_network) for name, uid in PLATFORMS.items()]})],
        [table("Runs", "One row for each run; its name links to its dashboard.", [
            Column("", select("benchnet_run_info", RUNS, 'network=~"$network"'))] + result_columns(RUNS),
            hidden=NOISE, links={"run": [links.run_of_row(links.field_reference("namespace"))]})],
    ])


# Labels from scrapes that carry no information in a table.
NOISE = ("__name__", "job", "instance", "endpoint", "service", "pod", "container", "prometheus", "prometheus_replica")


def result_columns(matchers: str) -> list[Column]:
    """Returns the columns with the results of runs."""
    keys = ("namespace", "run")
    return [
        Column("", sum_by(select("benchnet_run_phase", matchers) + " == 1", *keys, "phase")),
        Column("Valid", sum_by(select("benchnet_run_valid", matchers), *keys), texts=YES_NO),
        Column("Throughput", sum_by(select("benchnet_run_throughput_per_second", matchers), *keys), "ops"),
        Column("Median latency", sum_by(select("benchnet_run_latency_seconds", matchers, 'quantile="0.5"'), *keys), "s"),
        Column("99th percentile", sum_by(select("benchnet_run_latency_seconds", matchers, 'quantile="0.99"'), *keys), "s"),
        Column("Errors", sum_by(select("benchnet_run_errors", matchers), *keys), "short", MORE_IS_BAD),
        Column("Begins", load.window_millis(load.START, matchers), "dateTimeAsIso"),
        Column("Ends", load.window_millis(load.END, matchers), "dateTimeAsIso"),
    ]


def _resource_use() -> Row:
    who = ("namespace", "network")
    legend = "{{namespace}}/{{network}}"
    return Row("Resource usage", [
        [
            series("CPU", "Cores, by network, load drivers included.", [Query(sum_by(rate(resources.CPU, SOME), *who), legend)], "cores", stacked=True),
            series("Memory", "Working set, by network.", [Query(sum_by(select(resources.MEMORY, SOME), *who), legend)], "bytes", stacked=True),
            series("Network", "Bytes that the pods of a network send per second, to each other or to others.",
                   [Query(sum_by(rate("benchnet_pod_network_sent_bytes_total", SOME), *who), legend)], "Bps"),
        ],
        [
            series("Highest share of a CPU limit", "Of the network's container that is closest to its limit.",
                   [Query(f"max by (namespace, network) ({rate(resources.CPU, SOME)} / {select(resources.LIMIT, SOME)})", legend)],
                   "percentunit", steps=("green", ((0.8, "yellow"), (0.95, "red")))),
            series("Members ready", "Share of a network's members that are ready.",
                   [Query(f"{sum_by(select('benchnet_network_members_ready', SOME), *who)} / ({sum_by(select('benchnet_network_members', SOME), *who)} > 0)", legend)],
                   "percentunit", most=1),
            series("Runs by phase", "Number of runs by phase.",
                   [Query(sum_by(select("benchnet_run_phase", RUNS), "phase"), "{{phase}}")], "short", stacked=True),
        ],
    ])
