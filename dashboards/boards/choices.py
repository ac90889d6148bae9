"""The variables of dashboards."""

from .frame import variable

INFO_OF_RUN = 'benchnet_run_info{namespace="$namespace"}'


def namespace(metric: str):
    """Returns the variable of namespaces that have the metric."""
    return variable("namespace", "Namespace", f"label_values({metric}, namespace)")


def network(metric: str):
    """Returns the variable of the namespace's networks that have the metric."""
    return variable("network", "Network", f'label_values({metric}{{namespace="$namespace"}}, network)')


def member(metric: str):
    """Returns the variable of the network's members that have the metric."""
    return variable("member", "Member", f'label_values({metric}{{namespace="$namespace", network="$network"}}, member)', several=True)


def of_network(metric: str) -> list:
    """Returns the three variables of a platform's dashboard, by a metric that only this platform has."""
    return [namespace(metric), network(metric), member(metric)]
