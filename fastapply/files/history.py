"""What writes replaced, kept so that it can be put back.

An entry is one file in the folder ``undo`` of the user's state folder, for one write: of one file, or
of several that changed together. Its name holds when it was (nanoseconds, ascending), what it is called,
and its size; its first line says what was written, and the old bytes of the files follow one another::

    1763739000123456789-9f86d081-1830.kept
    {"version": 1, "folders": [], "files": [{"path": "/r/a.py", "size": 812, "old": "<sha256>",
     "mode": 420, "new": "<sha256>", "new_mode": 420}]}

`size`, `old` and `mode` are null where there was no file, `new` where none is left. `folders` are those
that the write made. An entry is called ``*.open`` until its write has ended, and again while it is
undone: after a kill in between it counts only if all of its files are what was written. Texts of the
user's are private, hence 0700 and 0600. Nothing here is flushed to the disk: a loss of power may cost
an undo, and its size then shows that, but never a file.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import FastapplyError, FileTrouble
from fastapply.files.lock import state_folder
from fastapply.files.recover import digest
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VERSION = 1
_OPEN, _KEPT = ".open", ".kept"
_DAY = 86_400 * 10**9  # nanoseconds


@dataclass(frozen=True, slots=True)
class Keep:
    """How much is kept: the oldest entries go first. One write larger than that is not kept at all."""

    entries: int = 1000
    megabytes: int = 100  # of 2**20 bytes, all entries together
    days: int = 30


@dataclass(frozen=True, slots=True)
class Past:
    """One file of a write that is about to happen: what it was, and what it will be.

    `data` is None where there is no file yet, `new` where there will be none. Modes are permission bits;
    `new_mode` is None where the system will choose it.
    """

    path: Path
    data: bytes | None
    mode: int | None
    new: bytes | None
    new_mode: int | None = None


@dataclass(frozen=True, slots=True)
class KeptFile:
    """One file of an entry; see the module's text for the fields."""

    path: str
    size: int | None
    old: str | None
    mode: int | None
    new: str | None
    new_mode: int | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One write that may be undone."""

    file: Path
    nanoseconds: int  # since 1970, when the write was
    name: str
    folders: tuple[str, ...]
    files: tuple[KeptFile, ...]
    start: int  # where in the file the old bytes begin

    @property
    def is_open(self) -> bool:
        """Whether a write or its undoing was begun and not ended."""
        return self.file.suffix == _OPEN


@contextmanager
def remembered(pasts: Sequence[Past], keep: Keep | None) -> Iterator[list[str]]:
    """Keep what the write inside of this block replaces; with None for `keep`, do nothing.

    A write is never stopped by this: where the old bytes cannot be kept, a warning is put into the list
    that the block gets.
    """
    warnings: list[str] = []
    entry: Path | None = None
    pasts = [past for past in pasts if (past.data, past.mode) != (past.new, past.new_mode)]
    if keep is not None and pasts:
        try:
            entry = _write_entry(pasts, keep)
        except (OSError, FastapplyError) as error:
            why = getattr(error, "strerror", None) or error
            warnings.append(f"this write cannot be undone: its old text was not kept ({why})")
    try:
        yield warnings
    except FastapplyError:  # the files are as before; what else may come, the files tell later
        if entry is not None:
            entry.unlink(missing_ok=True)
        raise
    if entry is not None:
        with suppress(OSError):
            entry.rename(entry.with_suffix(_KEPT))


def past_of(path: Path, new: bytes) -> tuple[Past, ...]:
    """What a file that any program may have written is now; () for a pipe, a device, a folder."""
    target = Path(os.path.realpath(path))
    try:
        status = target.stat()
        if not stat.S_ISREG(status.st_mode):
            return ()
        mode = stat.S_IMODE(status.st_mode)
        return (Past(target, target.read_bytes(), mode, new, mode),)
    except FileNotFoundError:
        return (Past(target, None, None, new),)
    except OSError:  # the write will say so
        return ()


def entries() -> Iterator[Entry]:
    """Read the entries, newest first. A damaged one is passed over."""
    folder = _folder()
    for name in sorted(_names(folder), reverse=True):
        with suppress(OSError, ValueError, KeyError, TypeError):
            yield _read_entry(folder / name)


def old_bytes(entry: Entry) -> tuple[bytes | None, ...]:
    """Read what the files of an entry held. Raises `FileTrouble` (``unreadable``)."""
    parts: list[bytes | None] = []
    try:
        with entry.file.open("rb") as file:
            file.seek(entry.start)
            for each in entry.files:
                data = None if each.size is None else file.read(each.size)
                if data is not None and digest(data) != each.old:
                    raise FileTrouble(f"{entry.file} is damaged", reason="unreadable", hint="delete it")
                parts.append(data)
    except OSError as error:
        raise FileTrouble(
            f"cannot read {entry.file}: {error.strerror or error}", reason="unreadable"
        ) from None
    return tuple(parts)


def reopen(entry: Entry) -> Entry | None:
    """Begin to undo an entry; None where somebody else has just done so."""
    opened = entry.file.with_suffix(_OPEN)
    try:
        entry.file.rename(opened)
    except FileNotFoundError:
        return None
    return Entry(opened, entry.nanoseconds, entry.name, entry.folders, entry.files, entry.start)


def close(entry: Entry) -> None:
    """Keep an entry after all: its undoing came to nothing."""
    with suppress(OSError):
        entry.file.rename(entry.file.with_suffix(_KEPT))


def forget(entry: Entry) -> None:
    """Remove an entry that was undone."""
    entry.file.unlink(missing_ok=True)


def _folder() -> Path:
    return state_folder() / "undo"


def _names(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith((_OPEN, _KEPT))]  # noqa: PTH208 - names
    except FileNotFoundError:
        return []


def _write_entry(pasts: Sequence[Past], keep: Keep) -> Path:
    import json

    files = [
        {
            "path": os.fspath(past.path),
            "size": None if past.data is None else len(past.data),
            "old": None if past.data is None else digest(past.data),
            "mode": past.mode,
            "new": None if past.new is None else digest(past.new),
            "new_mode": past.new_mode,
        }
        for past in pasts
    ]
    content = {"version": _VERSION, "folders": _missing_folders(pasts), "files": files}
    data = b"".join([json.dumps(content).encode("ascii"), b"\n", *(past.data or b"" for past in pasts)])
    most = keep.megabytes * 2**20
    if len(data) > most:
        raise FileTrouble(f"it is larger than {keep.megabytes} MiB", reason="disk_full")
    folder = _folder()
    folder.mkdir(mode=0o700, exist_ok=True)
    names = sorted(_names(folder))
    # Writes of one file come one after the other, under its lock: only a clock put back could mix them up
    now = max(time.time_ns(), int(names[-1].partition("-")[0]) + 1 if names else 0)
    _prune(folder, names, now - keep.days * _DAY, keep.entries - 1, most - len(data))
    entry = folder / f"{now:019d}-{os.urandom(4).hex()}-{len(data)}{_OPEN}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(entry, flags, 0o600), "wb") as file:
        try:
            file.write(data)
            file.flush()
        except OSError:
            entry.unlink(missing_ok=True)
            raise
    return entry


def _missing_folders(pasts: Sequence[Past]) -> list[str]:
    """The folders that a write will make, parents first."""
    missing: set[Path] = set()
    for past in pasts:
        folder = past.path.parent
        while past.new is not None and folder not in missing and not folder.exists():
            missing.add(folder)
            folder = folder.parent
    return [os.fspath(folder) for folder in sorted(missing, key=lambda folder: len(folder.parts))]


def _prune(folder: Path, names: Sequence[str], oldest: int, count: int, size: int) -> None:
    """Remove the oldest entries until the others keep within the limits."""
    kept = total = 0
    for name in reversed(names):
        stamp, own_size = _stamp_and_size(name)
        kept, total = kept + 1, total + own_size
        if stamp < oldest or kept > count or total > size:
            with suppress(OSError):
                (folder / name).unlink(missing_ok=True)


def _stamp_and_size(name: str) -> tuple[int, int]:
    stamp, _, rest = name.partition("-")
    size = rest.partition("-")[2].partition(".")[0]
    return (int(stamp), int(size)) if stamp.isdigit() and size.isdigit() else (0, 0)


def _read_entry(file: Path) -> Entry:
    """Raises `ValueError` or the like for a damaged one."""
    import json

    stamp, name, size = file.stem.split("-")
    with file.open("rb") as opened:
        first = opened.readline()
        if os.fstat(opened.fileno()).st_size != int(size):
            raise ValueError(file)
    content = json.loads(first)
    if content["version"] != _VERSION:
        raise ValueError(file)
    files = tuple(KeptFile(**each) for each in content["files"])
    return Entry(file, int(stamp), name, tuple(content["folders"]), files, len(first))
