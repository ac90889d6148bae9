"""Links between the dashboards, and to the pages of the documentation."""

from __future__ import annotations

import dataclasses

from grafana_foundation_sdk.builders import dashboard as parts
from grafana_foundation_sdk.models import dashboard as models

TAG = "benchnet"
DOCUMENTATION = "https://github.com/benchnet/benchnet/blob/main/docs/"


@dataclasses.dataclass(frozen=True)
class Link:
    """A link from a value to another dashboard, at the same time and with the same data source. Variables are those of the other
    dashboard, with what they become: a variable of this one, or Grafana's words for a label of the value."""

    title: str
    uid: str
    variables: dict[str, str]

    def built(self) -> parts.DashboardLink:
        chosen = "".join(f"&var-{name}={value}" for name, value in self.variables.items())
        return parts.DashboardLink(self.title).url(f"/d/{self.uid}?${{__url_time_range}}&var-datasource=${{datasource}}{chosen}")


def field(label: str) -> str:
    """A label's value in the row of a table."""
    return f"${{__data.fields.{label}}}"


def label(name: str) -> str:
    """A label's value of a series."""
    return f"${{__field.labels.{name}}}"


def others() -> parts.DashboardLink:
    """A menu of all of the project's dashboards, which keeps what is chosen."""
    return (
        parts.DashboardLink("benchnet").type(models.DashboardLinkType.DASHBOARDS).tags([TAG]).as_dropdown(True)
        .include_vars(True).keep_time(True).icon("external link").tooltip("The other dashboards, with the same choice")
    )


def page(title: str, path: str) -> parts.DashboardLink:
    """A page of the documentation, such as runbooks.md."""
    return (
        parts.DashboardLink(title).type(models.DashboardLinkType.LINK).url(DOCUMENTATION + path).icon("doc")
        .target_blank(True).tooltip(title)
    )
