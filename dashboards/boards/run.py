"""One run: its result, and the activity of its network during the measurement. Vertical lines mark the measured window."""

from . import links, load, resources, variables
from .frame import Row, board as framed, label_variable
from .links import Link
from .networks import NOISE
from .panels import MORE_IS_BAD, YES_NO, Column, Query, series, stat, table
from .promql import MEMBERS, max_by, rate, select, sum_by

RUN = 'namespace="$namespace", run="$run"'
INFO = select("benchnet_run_info", RUN)


def board():
    return framed(
        "benchnet-run", "Run", "One run: its result, its load drivers, and its network in the measured window, which is marked.",
        [variables.namespace_variable("benchnet_run_info"),
         label_variable("run", "Run", f"label_values({variables.RUN_INFO}, run)"),
         label_variable("network", "Network", f"label_values({INFO}, network)", hidden=True),
         label_variable("member", "Member", f'label_values({resources.CPU}{{namespace="$namespace", network="$network"}}, member)', several=True)],
        [_result(), _facts(), load.row(RUN), load.segments_row(RUN), _operations(), _drivers(), resources.row("member", "container", legend="{{member}} {{container}}"),
         resources.hosts(MEMBERS)],
        marks=load.window_marks(RUN),
        pages=[links.documentation_link("How results are judged", "verdict.md")],
    )


def _result() -> Row:
    latency = "benchnet_run_latency_seconds"
    return Row("", [[
        stat("Phase", "Phase of the run.", f"{select('benchnet_run_phase', RUN)} == 1", "none", sparkline=False, legend="{{phase}}"),
        stat("Valid", "The verdict: whether anything disturbed the run. docs/verdict.md has the reasons.", select("benchnet_run_valid", RUN), "none",
             texts=YES_NO, sparkline=False),
        stat("Throughput", "Operations that succeeded in the window, per second.", select("benchnet_run_throughput_per_second", RUN), "ops",
             sparkline=False, decimals=1),
        stat("Median latency", "Of the operations in the window, from the time at which they were due; in a closed loop the service time.",
             select(latency, RUN, 'quantile="0.5"'), "s",
             sparkline=False),
        stat("99th percentile", "Of the latency of the operations in the window; none with fewer than 1000.",
             select(latency, RUN, 'quantile="0.99"'), "s", sparkline=False),
        stat("Errors", "Operations that failed in the window.", select("benchnet_run_errors", RUN), "short", MORE_IS_BAD, sparkline=False),
        stat("Window", "Length of the measured window.", f"{select(load.END, RUN)} - {select(load.START, RUN)}", "s", sparkline=False),
    ]])


def _facts() -> Row:
    of_network = {"namespace": "${namespace}", "network": "${network}"}
    findings = select("benchnet_run_finding", RUN)
    return Row("", [[
        table("Workload", "Network, workload and, if an experiment created it, its point. The names link to their dashboards.",
              [Column("", INFO)], hidden=(*NOISE, "namespace"),
              links={"experiment": [Link("The experiment", "benchnet-experiment",
                                         {"namespace": "${namespace}", "experiment": links.field_reference("experiment")})],
                     "network": [Link("All networks", "benchnet-networks", of_network), Link("Corda", "benchnet-corda", of_network),
                                 Link("JPaxos", "benchnet-jpaxos", of_network), Link("CometBFT", "benchnet-cometbft", of_network),
                                 Link("Malachite", "benchnet-malachite", of_network), Link("MalachiteEVM", "benchnet-malachite-evm", of_network),
                                 Link("Emerald", "benchnet-emerald", of_network), Link("PostgreSQL", "benchnet-postgresql", of_network)]}).height(5),
        table("Findings", "Findings about the run: Invalid, Recorded (Invalid but for measure.environmentPolicy), or Note. docs/verdict.md explains each.",
              [Column("", f"{sum_by(findings, 'severity', 'reason')} or "
                          f"label_replace(count({INFO}) unless count({findings}), 'reason', 'nothing', '', '')")]).height(5),
    ]])


def _operations() -> Row:
    return Row("Activity of the network", [[
        series("Operations of the platform", "What the platform itself counts, per second on all chosen members or, where every member does the "
               "same, on the one that is ahead: flows of Corda, requests of JPaxos, blocks of CometBFT and Malachite, transactions of Emerald.", [
                   Query(sum_by(rate("corda_flows_finished_total", MEMBERS)), "flows finished"),
                   Query(max_by(rate("benchnet_member_operations_total", MEMBERS)), "requests executed"),
                   Query(max_by(rate("cometbft_bench_blocks_total", MEMBERS)), "blocks decided"),
                   Query(max_by(rate("malachite_bench_blocks_total", MEMBERS)), "blocks decided"),
                   Query(max_by(rate("app_channel_txs_count_total", MEMBERS)), "transactions decided")], "ops"),
    ]])


def _drivers() -> Row:
    workers = RUN + ', member=""'
    return Row("Load drivers", [[
        series("CPU", "Cores that the run's load drivers use. A driver at its limit measures itself.",
               [Query(sum_by(rate(resources.CPU, workers), "pod"), "{{pod}}")], "cores"),
        series("Throttled", "Share of the quota periods in which a driver had used up its CPU.",
               [Query(f"{sum_by(rate('benchnet_container_cpu_throttled_periods_total', workers), 'pod')} / "
                      f"({sum_by(rate('benchnet_container_cpu_periods_total', workers), 'pod')} > 0)", "{{pod}}")],
               "percentunit", most=1, steps=("green", ((0.01, "yellow"), (0.1, "red")))),
        series("Memory", "Working set of the drivers.", [Query(sum_by(select(resources.MEMORY, workers), "pod"), "{{pod}}")], "bytes"),
        series("Network", "Bytes per second that the drivers send, and below zero those that they receive.",
               [Query(sum_by(rate("benchnet_pod_network_sent_bytes_total", workers), "pod"), "{{pod}} sent"),
                Query(f"-{sum_by(rate('benchnet_pod_network_received_bytes_total', workers), 'pod')}", "{{pod}} received")], "Bps", least=None),
    ]])
