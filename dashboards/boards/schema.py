"""Writes a dashboard as JSON after the SDK has parsed it again: Grafana silently drops fields that the SDK does not know."""

import json
import typing

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

# Fields of an annotation that belong to Prometheus' data source. The SDK has only those that all data sources share.
ANNOTATION_FIELDS = frozenset({"step", "tagKeys", "textFormat", "titleFormat", "useValueForTime"})


def to_checked_json(board: Dashboard) -> str:
    """Returns the dashboard's JSON, which is reproducible. Raises ValueError for fields that are not in Grafana's schema."""
    text = json.dumps(board, cls=JSONEncoder, indent=1, sort_keys=True)
    written = json.loads(text)
    known = json.loads(json.dumps(Dashboard.from_json(json.loads(text)), cls=JSONEncoder))
    unknown = sorted(_unknown_paths(written, known, board.uid))
    if unknown:
        raise ValueError(f"not in Grafana's schema: {', '.join(unknown)}")
    return text + "\n"


def _unknown_paths(written: typing.Any, known: typing.Any, path: str) -> typing.Iterator[str]:
    """Yields the paths of written fields that are missing after parsing."""
    if isinstance(written, dict):
        for key, value in written.items():
            here = f"{path}.{key}"
            if isinstance(known, dict) and key in known:
                yield from _unknown_paths(value, known[key], here)
            elif not (".annotations.list" in path and key in ANNOTATION_FIELDS):
                yield here
    elif isinstance(written, list):
        for i, value in enumerate(written):
            yield from _unknown_paths(value, known[i] if i < len(known) else None, f"{path}[{i}]")
