"""JSON in which no key of an object stands twice: readers do not agree on which of the two counts."""

from __future__ import annotations

import json
from typing import Any


def read_once(text: str) -> Any:  # noqa: ANN401 - any value
    """Read a value. Raises `ValueError`, or `RecursionError` where it is too deep."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        msg = "an object has a duplicate key"
        raise ValueError(msg)
    return found
