"""Links between the dashboards and to the documentation."""

from __future__ import annotations

import dataclasses

from grafana_foundation_sdk.builders import dashboard as parts
from grafana_foundation_sdk.models import dashboard as models

TAG = "benchnet"
DOCUMENTATION = "https://github.com/benchnet/benchnet/blob/main/docs/"


@dataclasses.dataclass(frozen=True)
class Link:
    """A link from a value to another dashboard, with the same data source. Variables maps variables of the other dashboard to
    their values: a variable of this dashboard, or Grafana's expression for a label of the value."""

    title: str
    uid: str
    variables: dict[str, str]
    # The time range in the URL, by default that of this dashboard.
    time_range: str = "${__url_time_range}"

    def builder(self) -> parts.DashboardLink:
        chosen = "".join(f"&var-{name}={value}" for name, value in self.variables.items())
        return parts.DashboardLink(self.title).url(f"/d/{self.uid}?{self.time_range}&var-datasource=${{datasource}}{chosen}")


def field_reference(label: str) -> str:
    """Returns Grafana's expression for the value of a label in a table row."""
    return f"${{__data.fields.{label}}}"


def run_of_row(namespace: str) -> Link:
    """Returns a link from a row with the columns Begins and Ends, in milliseconds since 1970, to its run at that time."""
    return Link("The run, at the time of its window", "benchnet-run", {"namespace": namespace, "run": field_reference("run")},
                f"from={field_reference('Begins.numeric')}&to={field_reference('Ends.numeric')}")


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
