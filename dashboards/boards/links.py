"""Links between the dashboards and to the documentation."""

from __future__ import annotations

import dataclasses

from grafana_foundation_sdk.builders import dashboard as parts
from grafana_foundation_sdk.models import dashboard as models

TAG = "benchnet"
DOCUMENTATION = "https://github.com/benchnet/benchnet/blob/main/docs/"


@dataclasses.dataclass(frozen=True)
class Link:
    """A link from a value to another dashboard, with the same time range and data source. Variables maps variables of the other
    dashboard to their values: a variable of this dashboard, or Grafana's expression for a label of the value."""

    title: str
    uid: str
    variables: dict[str, str]

    def builder(self) -> parts.DashboardLink:
        chosen = "".join(f"&var-{name}={value}" for name, value in self.variables.items())
        return parts.DashboardLink(self.title).url(f"/d/{self.uid}?${{__url_time_range}}&var-datasource=${{datasource}}{chosen}")


def field_reference(label: str) -> str:
    """Returns Grafana's expression for the value of a label in a table row."""
    return f"${{__data.fields.{label}}}"


def label_reference(name: str) -> str:
    """Returns Grafana's expression for the value of a label of a series."""
    return f"${{__field.labels.{name}}}"


def dashboards_menu() -> parts.DashboardLink:
    """Returns a menu of all of the project's dashboards, which keeps the selected variables."""
    return (
        parts.DashboardLink("benchnet").type(models.DashboardLinkType.DASHBOARDS).tags([TAG]).as_dropdown(True)
        .include_vars(True).keep_time(True).icon("external link").tooltip("The other dashboards, with the same choice")
    )


def documentation_link(title: str, path: str) -> parts.DashboardLink:
    """Returns a link to a page of the documentation, such as runbooks.md."""
    return (
        parts.DashboardLink(title).type(models.DashboardLinkType.LINK).url(DOCUMENTATION + path).icon("doc")
        .target_blank(True).tooltip(title)
    )
