"""Variables: what a dashboard may be about."""

from .frame import variable

INFO_OF_RUN = 'benchnet_run_info{namespace="$namespace"}'


def namespace(metric: str):
    """Namespaces in which a metric is."""
    return variable("namespace", "Namespace", f"label_values({metric}, namespace)")


def network(metric: str):
    """Networks of the namespace that have a metric."""
    return variable("network", "Network", f'label_values({metric}{{namespace="$namespace"}}, network)')


def member(metric: str):
    """Members of the network that have a metric."""
    return variable("member", "Member", f'label_values({metric}{{namespace="$namespace", network="$network"}}, member)', several=True)


def of_network(metric: str) -> list:
    """The three of a platform's dashboard, by a metric that this platform alone has."""
    return [namespace(metric), network(metric), member(metric)]
