"""What was asked of the program on this machine and what came of it, where the user wants that kept.

A call is one file in the folder ``calls`` of the user's state folder, kept like the texts for undo and under
the same limits (see `entries`): a compressed JSON object. It holds the texts themselves, and never leaves the
machine by itself. Nothing is ever stopped by this.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError
from fastapply.folders import state_folder
from fastapply.values import dataclass, fields_of
from fastapply.workspace.files.entries import add, names_in, read_name
from fastapply.workspace.files.lock import resolved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply.workspace.files.entries import Keep

_VERSION = 1
_ENDING = ".call"
_LEVEL = 1  # of compression: the fastest one


@dataclass(frozen=True, slots=True)
class Call:
    """One edit that was asked for, and what came of it. A text that is not known is None."""

    command: str  # "apply", "patch", "batch", "mcp", "serve"
    path: str  # of the file, absolute where it is one of this machine; "" for an edit of several
    original: str | None
    edit: str
    instructions: str
    outcome: str  # "applied", "unchanged", "refused", "error"
    seconds: float
    reason: str | None = None
    message: str = ""
    format: str | None = None
    method: str | None = None
    certainty: float | None = None
    model: str | None = None
    merged: str | None = None
    written: bool = False
    files: int = 1
    name: str = ""  # set where it is read
    nanoseconds: int = 0  # since 1970, set where it is read


def keep_call(call: Call, keep: Keep) -> str | None:
    """Keep a call, the oldest others go; gives a warning where that cannot be done."""
    import json

    values = {key: value for key, value in fields_of(call).items() if key not in {"name", "nanoseconds"}}
    data = zlib.compress(json.dumps({"version": _VERSION, **values}).encode("ascii"), _LEVEL)
    try:
        add(_folder(), data, keep, _ENDING, (_ENDING,))
    except (OSError, FastapplyError) as error:
        return f"this call was not logged: {getattr(error, 'strerror', None) or error}"
    return None


def read_calls(place: str | None = None) -> Iterator[Call]:
    """The calls for a file, or for the files below a folder, newest first; None is all there are.

    A damaged one is passed over.
    """
    about = None if place is None else Path(resolved(place))
    folder = _folder()
    for name in reversed(names_in(folder, (_ENDING,))):
        with suppress(OSError, ValueError, KeyError, TypeError, zlib.error):
            call = _read(folder / name)
            if about is None or (os.path.isabs(call.path) and Path(call.path).is_relative_to(about)):  # noqa: PTH117
                yield call


def _read(file: Path) -> Call:
    import json

    data = file.read_bytes()
    nanoseconds, name = read_name(file, len(data))
    values: dict[str, Any] = json.loads(zlib.decompress(data))
    if values.pop("version") != _VERSION:
        raise ValueError(file)
    return Call(**values, name=name, nanoseconds=nanoseconds)


def _folder() -> Path:
    return state_folder() / "calls"
