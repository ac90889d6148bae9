"""The variables of dashboards."""

from .frame import label_variable

RUN_INFO = 'benchnet_run_info{namespace="$namespace"}'


def namespace_variable(metric: str):
    """Returns the variable of namespaces that have the metric."""
    return label_variable("namespace", "Namespace", f"label_values({metric}, namespace)")


def network_variable(metric: str):
    """Returns the variable of the namespace's networks that have the metric."""
    return label_variable("network", "Network", f'label_values({metric}{{namespace="$namespace"}}, network)')


def member_variable(metric: str):
    """Returns the variable of the network's members that have the metric."""
    return label_variable("member", "Member", f'label_values({metric}{{namespace="$namespace", network="$network"}}, member)', several=True)


def platform_variables(metric: str) -> list:
    """Returns the three variables of a platform's dashboard, by a metric that only this platform has."""
    return [namespace_variable(metric), network_variable(metric), member_variable(metric)]
