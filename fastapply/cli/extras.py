"""A command that needs an extra says so in one line where it is not installed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from fastapply.errors import ModelTrouble

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def needs_extra(name: str) -> Iterator[None]:
    """Turn a missing package into `ModelTrouble` (``not_installed``) that names the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "fastapply":
            raise
        raise ModelTrouble(
            f"this command needs {error.name.partition('.')[0]}, which is not installed",
            reason="not_installed",
            hint=f"pip install 'fastapply[{name}]'",
        ) from None
