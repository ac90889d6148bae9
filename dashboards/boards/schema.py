"""A dashboard as JSON, after the SDK has read it again: what the SDK does not know, Grafana would drop without a word."""

import json
import typing

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

# Fields of an annotation that belong to Prometheus' data source. The SDK has those alone that all data sources share.
OF_ANNOTATIONS = frozenset({"step", "tagKeys", "textFormat", "titleFormat", "useValueForTime"})


def checked(board: Dashboard) -> str:
    """The dashboard's JSON, the same from run to run. Raises ValueError when it has fields that are not in Grafana's schema."""
    text = json.dumps(board, cls=JSONEncoder, indent=1, sort_keys=True)
    written = json.loads(text)
    known = json.loads(json.dumps(Dashboard.from_json(json.loads(text)), cls=JSONEncoder))
    unknown = sorted(_unknown(written, known, board.uid))
    if unknown:
        raise ValueError(f"not in Grafana's schema: {', '.join(unknown)}")
    return text + "\n"


def _unknown(written: typing.Any, known: typing.Any, path: str) -> typing.Iterator[str]:
    """Paths of what was written and did not survive being read."""
    if isinstance(written, dict):
        for key, value in written.items():
            here = f"{path}.{key}"
            if isinstance(known, dict) and key in known:
                yield from _unknown(value, known[key], here)
            elif not (".annotations.list" in path and key in OF_ANNOTATIONS):
                yield here
    elif isinstance(written, list):
        for i, value in enumerate(written):
            yield from _unknown(value, known[i] if i < len(known) else None, f"{path}[{i}]")
