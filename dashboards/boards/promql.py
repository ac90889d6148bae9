"""Common PromQL expressions."""

# Matchers of a network's own dashboard.
NETWORK = 'namespace="$namespace", network="$network"'
MEMBERS = NETWORK + ', member=~"$member"'


def select(metric: str, *matchers: str) -> str:
    return f"{metric}{{{', '.join(matchers)}}}"


def rate(metric: str, *matchers: str) -> str:
    """Returns the rate per second, over an interval that Grafana derives from scrape interval and panel width."""
    return f"rate({select(metric, *matchers)}[$__rate_interval])"


def sum_by(expr: str, *labels: str) -> str:
    """Returns the sum for each combination of the labels."""
    return f"sum by ({', '.join(labels)}) ({expr})" if labels else f"sum({expr})"


def max_by(expr: str, *labels: str) -> str:
    return f"max by ({', '.join(labels)}) ({expr})" if labels else f"max({expr})"


def quantile(share: float, histogram: str, *matchers: str, by: tuple[str, ...] = ()) -> str:
    """Returns a quantile of a histogram over the last interval; histogram is the name without _bucket."""
    return f"histogram_quantile({share}, {sum_by(rate(histogram + '_bucket', *matchers), 'le', *by)})"


def mean(histogram: str, *matchers: str, by: tuple[str, ...] = ()) -> str:
    """Returns the mean of the observations of a histogram or summary in the last interval; no value without observations."""
    return f"{sum_by(rate(histogram + '_sum', *matchers), *by)} / {sum_by(rate(histogram + '_count', *matchers), *by)}"
