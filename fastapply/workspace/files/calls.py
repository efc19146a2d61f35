"""What was asked of the program on this machine and what came of it, where the user wants that kept.

A call is one file in the folder ``calls`` of the user's state folder, kept like the texts for undo and under
the same limits, for the user alone to read: a compressed JSON object, in a file whose name holds when it was
(nanoseconds, ascending), what it is called, and its size. It holds the texts themselves, and never leaves the
machine by itself. Nothing is ever stopped by this.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError, FileTrouble
from fastapply.values import dataclass
from fastapply.workspace.files.kept import DAY, next_stamp, prune
from fastapply.workspace.files.lock import resolved, state_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply.workspace.files.kept import Keep

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

    values = {name: getattr(call, name) for name in Call.__slots__ if name not in {"name", "nanoseconds"}}
    data = zlib.compress(json.dumps({"version": _VERSION, **values}).encode("ascii"), _LEVEL)
    most = keep.megabytes * 2**20
    try:
        if len(data) > most:
            raise FileTrouble(f"it is larger than {keep.megabytes} MiB", reason="disk_full")
        folder = _folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        names = sorted(_names(folder))
        now = next_stamp(names)
        prune(folder, names, now - keep.days * DAY, keep.entries - 1, most - len(data))
        file = folder / f"{now:019d}-{os.urandom(4).hex()}-{len(data)}{_ENDING}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(file, flags, 0o600), "wb") as opened:
            opened.write(data)
    except (OSError, FastapplyError) as error:
        return f"this call was not logged: {getattr(error, 'strerror', None) or error}"
    return None


def read_calls(place: str | None = None) -> Iterator[Call]:
    """The calls for a file, or for the files below a folder, newest first; None is all there are.

    A damaged one is passed over.
    """
    about = None if place is None else Path(resolved(place))
    folder = _folder()
    for name in sorted(_names(folder), reverse=True):
        with suppress(OSError, ValueError, KeyError, TypeError, zlib.error):
            call = _read(folder / name)
            if about is None or (os.path.isabs(call.path) and Path(call.path).is_relative_to(about)):  # noqa: PTH117
                yield call


def _read(file: Path) -> Call:
    import json

    stamp, name, size = file.stem.split("-")
    data = file.read_bytes()
    if len(data) != int(size):
        raise ValueError(file)
    values: dict[str, Any] = json.loads(zlib.decompress(data))
    if values.pop("version") != _VERSION:
        raise ValueError(file)
    return Call(**values, name=name, nanoseconds=int(stamp))


def _folder() -> Path:
    return state_folder() / "calls"


def _names(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(_ENDING)]  # noqa: PTH208 - names
    except FileNotFoundError:
        return []
