"""Where an edit goes, as a caller names it: ``"in Store.get"``, ``"after get"``."""

from __future__ import annotations

from typing import get_args

from fastapply.errors import UsageError
from fastapply.types import Side, Where


def read_where(text: str) -> Where:
    """Read ``"after Store.get"``. Raises `UsageError` where the first word is no side, or no name follows."""
    side, _, name = text.strip().partition(" ")
    for known in get_args(Side):
        if side == known and name.strip():
            return Where(known, name.strip())
    raise UsageError(
        f"where {text!r} names no place",
        hint='write "in NAME", "after NAME", "before NAME" or "replace NAME"',
    )
