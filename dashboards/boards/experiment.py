"""One experiment: its progress, and its runs side by side."""

from . import links, resources, variables
from .frame import Row, board as framed, label_variable
from .links import Link
from .networks import NOISE, result_columns
from .panels import Column, Query, bars, series, stat, table
from .promql import rate, select, sum_by

SCOPE = 'namespace="$namespace", experiment="$experiment"'
INFO = select("benchnet_run_info", SCOPE)


def of_runs(metric: str, *matchers: str) -> str:
    """Returns a metric of the experiment's runs, with their points and variants."""
    return f"""{select(metric, 'namespace="$namespace"', *matchers)} * on (namespace, run) group_left (point, variant) {INFO}"""


def board():
    return framed(
        "benchnet-experiment", "Experiment", "One experiment: its progress, its runs side by side, and what its networks use.",
        [variables.namespace_variable("benchnet_experiment_points"),
         label_variable("experiment", "Experiment", 'label_values(benchnet_experiment_points{namespace="$namespace"}, experiment)')],
        [_progress(), _runs(), _side_by_side(), _over_time()],
        pages=[links.documentation_link("Experiments", "experiments.md")], since="now-6h",
    )


def _progress() -> Row:
    points, runs = select("benchnet_experiment_points", SCOPE), select("benchnet_experiment_runs", SCOPE)
    return Row("", [[
        stat("Phase", "Phase of the experiment.", select("benchnet_experiment_phase", SCOPE), "none", sparkline=False, legend="{{phase}}"),
        stat("Points done", "Share of the combinations of parameters that are measured.", f"""{sum_by(select("benchnet_experiment_points", SCOPE, 'state="Done"'))} / {sum_by(points)}""", "percentunit",
             ("text", ((1, "green"),))),
        stat("Runs", "Runs of the experiment, including planned ones.", sum_by(runs), "none"),
        stat("In progress", "Runs that have started and not ended.", sum_by(select("benchnet_experiment_runs", SCOPE, 'state="UnderWay"')), "none"),
        stat("Valid runs", "Share of the judged runs that are valid.", f"avg({of_runs('benchnet_run_valid')})", "percentunit",
             ("red", ((0.5, "yellow"), (0.9, "green")))),
        stat("Highest throughput", "Of all runs of the experiment.", f"max({of_runs('benchnet_run_throughput_per_second')})", "ops", decimals=1),
        stat("Errors", "Operations that failed, in all runs.", f"sum({of_runs('benchnet_run_errors')})", "short", ("green", ((1, "yellow"),))),
    ]])


def _runs() -> Row:
    return Row("", [[
        table("Runs", "One row for each run; its name links to its dashboard.", [Column("", INFO)] + [
            Column(c.title, f"{c.expr} * on (namespace, run) group_left () {sum_by(INFO, 'namespace', 'run')}", c.unit, c.steps, c.texts)
            for c in result_columns('namespace="$namespace"')],
            hidden=(*NOISE, "namespace", "experiment"),
            links={"run": [links.run_of_row("${namespace}")]}).height(11),
    ]])


def _side_by_side() -> Row:
    to_run = Link("The run", "benchnet-run", {"namespace": "${namespace}", "run": links.label_reference("run")})
    return Row("Runs side by side", [[
        bars("Throughput", "Operations per second that succeeded in a run's window.",
             Query(f"sort_desc({sum_by(of_runs('benchnet_run_throughput_per_second'), 'run', 'point', 'variant')})", "{{point}} {{variant}} {{run}}"), "ops", to_run),
        bars("Latency, 99th percentile", "Of the operations in a run's window.",
             Query(f"""sort({sum_by(of_runs("benchnet_run_latency_seconds", 'quantile="0.99"'), "run", "point", "variant")})""", "{{point}} {{variant}} {{run}}"),
             "s", to_run),
    ]])


def _over_time() -> Row:
    return Row("Progress over time", [[
        series("Points by state", "Number of points by state.",
               [Query(sum_by(select("benchnet_experiment_points", SCOPE), "state"), "{{state}}")], "short", stacked=True),
        series("Runs by state", "Number of runs by state.",
               [Query(sum_by(select("benchnet_experiment_runs", SCOPE), "state"), "{{state}}")], "short", stacked=True),
        series("CPU of its networks", "Cores that the experiment's networks use, load drivers included.",
               [Query(sum_by(rate(resources.CPU, SCOPE), "network"), "{{network}}")], "cores", stacked=True),
        series("Memory of its networks", "Working set.", [Query(sum_by(select(resources.MEMORY, SCOPE), "network"), "{{network}}")], "bytes", stacked=True),
    ]])
