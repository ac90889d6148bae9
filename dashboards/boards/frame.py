"""The common parts of all dashboards: the choice of the data source, the menu of dashboards, the layout."""

from __future__ import annotations

import dataclasses
import typing

from grafana_foundation_sdk.builders import dashboard as parts
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models import dashboard as models

from . import links
from .panels import DATASOURCE

# The number of columns of Grafana's grid.
WIDTH = 24

Line = typing.Sequence[Builder[models.Panel]]


@dataclasses.dataclass(frozen=True)
class Row:
    """A heading with lines of panels below it. The panels of a line share its width."""

    title: str
    lines: typing.Sequence[Line]


class TimeMarks(models.AnnotationQuery):
    """Vertical lines at the times that are the values of a series, in milliseconds since 1970."""

    def __init__(self, name: str, expr: str, color: str, title: str, text: str) -> None:
        super().__init__(name=name, expr=expr, icon_color=color, datasource=DATASOURCE)
        self.title, self.text = title, text

    def to_json(self) -> dict[str, object]:
        return super().to_json() | {
            "useValueForTime": True, "titleFormat": self.title, "textFormat": self.text, "tagKeys": "run,workload", "step": "15s"}

    def build(self) -> TimeMarks:
        return self


def label_variable(name: str, label: str, query: str, several: bool = False, hidden: bool = False) -> parts.QueryVariable:
    """Returns a variable with the values of a label. If several, users may select more than one, and the default is all."""
    made = (
        parts.QueryVariable(name).label(label).query(query).datasource(DATASOURCE)
        .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED).sort(models.VariableSort.NATURAL_ASC)
    )
    if hidden:
        made = made.hide(models.VariableHide.HIDE_VARIABLE)
    if not several:
        return made
    return made.multi(True).include_all(True).all_value(".+").current(
        models.VariableOption(selected=True, text="All", value="$__all"))


def board(uid: str, title: str, description: str, variables: typing.Sequence[parts.QueryVariable], rows: typing.Sequence[Row],
          marks: typing.Sequence[TimeMarks] = (), pages: typing.Sequence[parts.DashboardLink] = (), since: str = "now-1h") -> models.Dashboard:
    """Returns a dashboard. Its uid must never change, because users and other dashboards link to it."""
    made = (
        parts.Dashboard(f"benchnet / {title}").uid(uid).description(description).tags([links.TAG]).readonly()
        .tooltip(models.DashboardCursorSync.CROSSHAIR).time(since, "now").refresh("30s").timezone("browser")
        .with_variable(parts.DatasourceVariable("datasource").label("Data source").type("prometheus"))
        .links([links.dashboards_menu(), *pages, links.documentation_link("Runbooks", "runbooks.md")])
    )
    for each in variables:
        made = made.with_variable(each)
    for mark in marks:
        made = made.annotation(mark)
    built = made.build()
    built.panels = list(_place_panels(rows))
    return built


def _place_panels(rows: typing.Sequence[Row]) -> typing.Iterator[models.Panel | models.RowPanel]:
    """Yields the panels with their positions and IDs, from the top down. A row without a title has no heading."""
    number, top = 0, 0
    for row in rows:
        number += 1
        if row.title:
            yield models.RowPanel(title=row.title, id_val=number, grid_pos=models.GridPos(x=0, y=top, w=WIDTH, h=1))
            top += 1
        for line in row.lines:
            panels = [builder.build() for builder in line]
            for i, panel in enumerate(panels):
                number += 1
                left, right = WIDTH * i // len(panels), WIDTH * (i + 1) // len(panels)
                panel.id_val = number
                panel.grid_pos = models.GridPos(x=left, y=top, w=right - left, h=panel.grid_pos.h)
                yield panel
            top += max(panel.grid_pos.h for panel in panels)
