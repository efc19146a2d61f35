"""The doors for other programs: `mcp` for agents, `http` for clients of apply services.

They need the extra ``fastapply[server]``. Neither merges, verifies or writes anything by itself.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

from fastapply.errors import UsageError

_NEEDED = ("mcp", "starlette", "uvicorn", "prometheus_client")


def missing_libraries() -> tuple[str, ...]:
    """Name the libraries that the servers need and that are not installed; none of them is imported."""
    return tuple(name for name in _NEEDED if find_spec(name) is None)


def require_server() -> None:
    """Raise `UsageError` (``no_server``) where the libraries of the servers are not installed."""
    missing = missing_libraries()
    if missing:
        raise UsageError(
            f"the servers are not installed ({', '.join(missing)} missing)",
            reason="no_server",
            hint="pip install '.[server]' in a checkout of fastapply",
        )


def read_once(text: str) -> Any:  # noqa: ANN401 - any value
    """Read JSON in which no key of an object stands twice: readers do not agree on which of the two counts.

    Raises `ValueError`, or `RecursionError` where it is too deep.
    """
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        msg = "an object has a duplicate key"
        raise ValueError(msg)
    return found
