"""The kinds of panels in the dashboards. Functions take only the parts that vary: title, description, queries, unit."""

from __future__ import annotations

import dataclasses
import string
import typing

from grafana_foundation_sdk.builders import bargauge, common, prometheus, stat as stats, table as tables, timeseries
from grafana_foundation_sdk.builders import dashboard as parts
from grafana_foundation_sdk.models import common as options
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from .links import Link

# The Prometheus that the user selects at the top of the dashboard.
DATASOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")

GREEN, YELLOW, ORANGE, RED, BLUE, NEUTRAL = "green", "yellow", "orange", "red", "blue", "text"


@dataclasses.dataclass(frozen=True)
class Query:
    """A PromQL expression and the legend of its series, which may contain {{label}}."""

    expr: str
    legend: str = ""


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table. The query returns one value for each row, which the labels that all columns share identify. A column
    without a title is hidden and only contributes its labels."""

    title: str
    expr: str
    unit: str = "none"
    steps: Steps | None = None
    texts: dict[str, tuple[str, str]] | None = None


# Thresholds: the colour of the lowest values, then pairs of a value and the colour from that value on.
Steps = tuple[str, tuple[tuple[float, str], ...]]

PLAIN: Steps = (NEUTRAL, ())
MORE_IS_BAD: Steps = (GREEN, ((1, RED),))
READY: Steps = (RED, ((1, GREEN),))
SHARE_OF_LIMIT: Steps = (GREEN, ((0.8, YELLOW), (0.95, RED)))

YES_NO = {"0": ("no", RED), "1": ("yes", GREEN)}


def thresholds(steps: Steps) -> parts.ThresholdsConfig:
    lowest, others = steps
    all_steps = [models.Threshold(value=None, color=lowest)] + [models.Threshold(value=at, color=color) for at, color in others]
    return parts.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(all_steps)


def mappings(texts: dict[str, tuple[str, str]]) -> list[models.ValueMapping]:
    """Returns mappings from values to texts and their colours."""
    results = {value: models.ValueMappingResult(text=word, color=color, index=i) for i, (value, (word, color)) in enumerate(texts.items())}
    return [models.ValueMap(options=results)]


def target(query: Query, ref: str, instant: bool = False, as_table: bool = False) -> prometheus.Dataquery:
    made = prometheus.Dataquery().ref_id(ref).datasource(DATASOURCE).expr(query.expr)
    if query.legend:
        made = made.legend_format(query.legend)
    if as_table:
        made = made.format(PromQueryFormat.TABLE)
    return made.instant() if instant else made.range()


def targets(queries: typing.Sequence[Query], instant: bool = False) -> list[prometheus.Dataquery]:
    return [target(q, ref, instant) for ref, q in zip(string.ascii_uppercase, queries, strict=False)]


def stat(title: str, description: str, expr: str, unit: str = "none", steps: Steps = PLAIN, decimals: int | None = None,
         texts: dict[str, tuple[str, str]] | None = None, link: Link | None = None, sparkline: bool = True, legend: str = "") -> stats.Panel:
    """Returns a panel with one large number, and its history behind it if sparkline is set."""
    panel = (
        stats.Panel().title(title).description(description).datasource(DATASOURCE)
        .targets([target(Query(expr, legend or title), "A", instant=not sparkline)])
        .unit(unit).thresholds(thresholds(steps)).height(4)
        .graph_mode(options.BigValueGraphMode.AREA if sparkline else options.BigValueGraphMode.NONE)
        .color_mode(options.BigValueColorMode.VALUE)
        .text_mode(options.BigValueTextMode.NAME if legend else options.BigValueTextMode.VALUE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False).fields(""))
    )
    if decimals is not None:
        panel = panel.decimals(decimals)
    if texts:
        panel = panel.mappings(mappings(texts))
    if link:
        panel = panel.data_links([link.builder()])
    return panel


def series(title: str, description: str, queries: typing.Sequence[Query], unit: str, stacked: bool = False, least: float | None = 0,
           most: float | None = None, steps: Steps | None = None, link: Link | None = None) -> timeseries.Panel:
    """Returns a panel of time series, with mean, maximum and last value in the legend. Thresholds are dashed lines."""
    panel = (
        timeseries.Panel().title(title).description(description).datasource(DATASOURCE).targets(targets(queries))
        .unit(unit).height(8).line_width(1).fill_opacity(25 if stacked else 8).show_points(options.VisibilityMode.AUTO)
        .legend(common.VizLegendOptions().display_mode(options.LegendDisplayMode.TABLE).placement(options.LegendPlacement.BOTTOM)
                .show_legend(True).calcs(["mean", "max", "lastNotNull"]).sort_by("Max").sort_desc(True))
        .tooltip(common.VizTooltipOptions().mode(options.TooltipDisplayMode.MULTI).sort(options.SortOrder.DESCENDING))
    )
    if stacked:
        panel = panel.stacking(common.StackingConfig().mode(options.StackingMode.NORMAL).group("A"))
    if least is not None:
        panel = panel.min(least)
    if most is not None:
        panel = panel.max(most)
    if steps:
        panel = panel.thresholds(thresholds(steps)).thresholds_style(
            common.GraphThresholdsStyleConfig().mode(options.GraphThresholdsStyleMode.DASHED))
    if link:
        panel = panel.data_links([link.builder()])
    return panel


def table(title: str, description: str, columns: typing.Sequence[Column], hidden: typing.Sequence[str] = (),
          names: dict[str, str] | None = None, links: dict[str, typing.Sequence[Link]] | None = None) -> tables.Panel:
    """Returns a table with one row for each combination of labels, and the labels in the first columns. Labels in hidden are left
    out; names maps other labels to titles; links maps labels to links."""
    refs = string.ascii_uppercase[: len(columns)]
    values = {f"Value #{ref}": column.title for ref, column in zip(refs, columns)}
    titled = (names or {}) | {value: title for value, title in values.items() if title}
    left_out = ["Time", *hidden, *(value for value, title in values.items() if not title)]
    panel = (
        tables.Panel().title(title).description(description).datasource(DATASOURCE).height(9).unit("none")
        .targets([target(Query(c.expr), ref, instant=True, as_table=True) for ref, c in zip(refs, columns)])
        .filterable(True).cell_height(options.TableCellHeight.SM)
        .transformations([
            models.DataTransformerConfig(id_val="merge", options={}),
            models.DataTransformerConfig(id_val="organize", options={
                "excludeByName": {name: True for name in left_out}, "indexByName": {}, "renameByName": titled}),
        ])
    )
    for column in columns:
        if column.title:
            panel = panel.override_by_name(column.title, _column_overrides(column))
    for label, to in (links or {}).items():
        built = [link.builder().build() for link in to]
        panel = panel.override_by_name(titled.get(label, label), [models.DynamicConfigValue(id_val="links", value=built)])
    return panel


def _column_overrides(column: Column) -> list[models.DynamicConfigValue]:
    properties = [models.DynamicConfigValue(id_val="unit", value=column.unit)]
    if column.steps:
        properties.append(models.DynamicConfigValue(id_val="thresholds", value=thresholds(column.steps).build()))
    if column.texts:
        properties.append(models.DynamicConfigValue(id_val="mappings", value=mappings(column.texts)))
    if column.steps or column.texts:
        properties.append(models.DynamicConfigValue(id_val="custom.cellOptions", value={"type": "color-text"}))
    return properties


def bars(title: str, description: str, query: Query, unit: str, link: Link | None = None) -> bargauge.Panel:
    """Returns a panel with one bar for each series, at its last value in the range."""
    panel = (
        bargauge.Panel().title(title).description(description).datasource(DATASOURCE).targets(targets([query], instant=True))
        .unit(unit).min(0).height(8).thresholds(thresholds((BLUE, ()))).orientation(options.VizOrientation.HORIZONTAL)
        .display_mode(options.BarGaugeDisplayMode.BASIC)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False).fields(""))
    )
    return panel.data_links([link.builder()]) if link else panel


