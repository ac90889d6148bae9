"""Words of PromQL that come again and again."""

# What a network's own dashboard is about.
NETWORK = 'namespace="$namespace", network="$network"'
MEMBERS = NETWORK + ', member=~"$member"'


def pick(metric: str, *matchers: str) -> str:
    return f"{metric}{{{', '.join(matchers)}}}"


def rate(metric: str, *matchers: str) -> str:
    """Each second, over an interval that Grafana fits to the scrapes and to the width of the panel."""
    return f"rate({pick(metric, *matchers)}[$__rate_interval])"


def total(expr: str, *labels: str) -> str:
    """The sum, for each combination of the labels."""
    return f"sum by ({', '.join(labels)}) ({expr})" if labels else f"sum({expr})"


def highest(expr: str, *labels: str) -> str:
    return f"max by ({', '.join(labels)}) ({expr})" if labels else f"max({expr})"


def quantile(share: float, histogram: str, *matchers: str, by: tuple[str, ...] = ()) -> str:
    """A percentile of a histogram's last interval; histogram is the name without _bucket."""
    return f"histogram_quantile({share}, {total(rate(histogram + '_bucket', *matchers), 'le', *by)})"


def mean(histogram: str, *matchers: str, by: tuple[str, ...] = ()) -> str:
    """The mean of what a histogram or summary observed in the last interval. No value where it observed nothing."""
    return f"{total(rate(histogram + '_sum', *matchers), *by)} / {total(rate(histogram + '_count', *matchers), *by)}"
