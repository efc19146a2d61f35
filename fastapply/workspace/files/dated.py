"""Folders of what is kept for some time: files named by when they were made, and the oldest go first.

    1763739000123456789-9f86d081-1830.kept      nanoseconds since 1970, ascending; a name; how many bytes

They are for the user alone to read. Nothing here is flushed to the disk: the size in the name shows what a
loss of power has cut off.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_DAY = 86_400 * 10**9  # nanoseconds


@dataclass(frozen=True, slots=True)
class Keep:
    """How much is kept: the oldest files go first. One that is larger than all may be is not kept at all."""

    entries: int = 1000
    megabytes: int = 100  # of 2**20 bytes, all of a folder together
    days: int = 30


def add(folder: Path, data: bytes, keep: Keep, ending: str, endings: tuple[str, ...]) -> Path:
    """Keep bytes under a new name; files with one of the `endings` make room for them.

    Raises `FileTrouble` (``disk_full``) where they are too many, and `OSError`.
    """
    most = keep.megabytes * 2**20
    if len(data) > most:
        raise FileTrouble(f"it is larger than {keep.megabytes} MiB", reason="disk_full")
    folder.mkdir(mode=0o700, exist_ok=True)
    names = names_in(folder, endings)
    now = next_stamp(names)
    _prune(folder, names, now - keep.days * _DAY, keep.entries - 1, most - len(data))
    file = folder / f"{now:019d}-{os.urandom(4).hex()}-{len(data)}{ending}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(file, flags, 0o600), "wb") as opened:
        try:
            opened.write(data)
            opened.flush()
        except OSError:
            file.unlink(missing_ok=True)
            raise
    return file


def names_in(folder: Path, endings: tuple[str, ...]) -> list[str]:
    """The names of the files with one of these endings, the oldest first."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(endings))  # noqa: PTH208 - names
    except FileNotFoundError:
        return []


def next_stamp(names: Sequence[str]) -> int:
    """A number above those of all names, and now where the clock was not put back."""
    return max(time.time_ns(), int(names[-1].partition("-")[0]) + 1 if names else 0)


def read_name(file: Path, size: int) -> tuple[int, str]:
    """When a file was made, and its name. Raises `ValueError` where it is not as long as it says."""
    stamp, name, said = file.stem.split("-")
    if int(said) != size:
        raise ValueError(file)
    return int(stamp), name


def _prune(folder: Path, names: Sequence[str], oldest: int, count: int, size: int) -> None:
    """Remove the oldest files until the others keep within the limits."""
    kept = total = 0
    for name in reversed(names):
        stamp, _, rest = name.partition("-")
        own = rest.partition("-")[2].partition(".")[0]
        known = stamp.isdigit() and own.isdigit()
        kept, total = kept + 1, total + (int(own) if known else 0)
        if not known or int(stamp) < oldest or kept > count or total > size:
            with suppress(OSError):
                (folder / name).unlink(missing_ok=True)
