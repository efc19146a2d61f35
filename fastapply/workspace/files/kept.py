"""What writes replaced and what they wrote, kept so that they can be undone and done again.

An entry is one file in the folder ``undo`` of the user's state folder, for one write: of one file, or
of several that changed together. Its name holds when it was (nanoseconds, ascending), what it is called,
and its size; its first line says what was written, and bytes follow::

    1763739000123456789-9f86d081-1830.kept
    {"version": 2, "aside": false, "folders": [], "files": [{"path": "/r/a.py", "size": 812,
     "old": "<sha256>", "mode": 420, "new": "<sha256>", "new_mode": 420, "head": 300, "tail": 480,
     "middle": 40, "format": "lazy", "method": "aligned"}]}

`size`, `old` and `mode` are null where there was no file, `new` where none is left. A new text is its first
`head` bytes as they were, `middle` others, and the last `tail` bytes as they were. First come the middles
of all files, then their old bytes. `folders` are those that the write made; a write `aside` is not one that
"the last write" means.

An entry is called ``*.undone`` once its write was undone, and ``*.open`` until its write has ended, and
while it is undone or done again: after a kill in between it counts only if all of its files are what was
written. Texts of the user's are private, hence 0700 and 0600. Nothing here is flushed to the disk: a loss
of power may cost an undo, and its size then shows that, but never a file.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import FastapplyError, FileTrouble
from fastapply.values import dataclass, replace
from fastapply.workspace.files.lock import state_folder
from fastapply.workspace.files.recover import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VERSION = 2
_OPEN, _KEPT, _UNDONE = ".open", ".kept", ".undone"
DAY = 86_400 * 10**9  # nanoseconds


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
    format: str = ""  # of the edit
    method: str = ""  # how it was merged


@dataclass(frozen=True, slots=True)
class KeptFile:
    """One file of an entry; see the module's text for the fields."""

    path: str
    size: int | None
    old: str | None
    mode: int | None
    new: str | None
    new_mode: int | None
    head: int
    tail: int
    middle: int
    format: str
    method: str


@dataclass(frozen=True, slots=True)
class KeptWrite:
    """One write that may be undone."""

    file: Path
    nanoseconds: int  # since 1970, when the write was
    name: str
    folders: tuple[str, ...]
    files: tuple[KeptFile, ...]
    start: int  # where in the file the bytes begin
    changed: int = 0  # nanoseconds since 1970, when it was last undone
    aside: bool = False

    @property
    def is_open(self) -> bool:
        """Whether a write, or its undoing, was begun and not ended."""
        return self.file.suffix == _OPEN

    @property
    def is_undone(self) -> bool:
        """Whether the write was undone."""
        return self.file.suffix == _UNDONE


@contextmanager
def remembered(pasts: Sequence[Past], keep: Keep | None, *, aside: bool = False) -> Iterator[list[str]]:
    """Keep what the write inside of this block replaces; with None for `keep`, do nothing.

    One `aside` is undone only where it is named. A write is never stopped by this: where the old bytes
    cannot be kept, a warning is put into the list that the block gets.
    """
    warnings: list[str] = []
    entry: Path | None = None
    pasts = [past for past in pasts if (past.data, past.mode) != (past.new, past.new_mode)]
    if keep is not None and pasts:
        try:
            entry = _write_entry(pasts, keep, aside=aside)
        except (OSError, FastapplyError) as error:
            why = getattr(error, "strerror", None) or error
            warnings.append(f"this write cannot be undone: the old version was not saved ({why})")
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


def entries() -> Iterator[KeptWrite]:
    """Read the entries, newest first. A damaged one is passed over."""
    folder = _folder()
    for name in sorted(_names(folder), reverse=True):
        with suppress(OSError, ValueError, KeyError, TypeError):
            yield _read_entry(folder / name)


def texts(entry: KeptWrite) -> tuple[tuple[bytes | None, bytes | None], ...]:
    """Read what the files of an entry held, and what was written. Raises `FileTrouble` (``unreadable``)."""
    try:
        with entry.file.open("rb") as file:
            file.seek(entry.start)
            middles = [file.read(each.middle) for each in entry.files]
            olds = [None if each.size is None else file.read(each.size) for each in entry.files]
    except OSError as error:
        raise FileTrouble(
            f"cannot read {entry.file}: {error.strerror or error}", reason="unreadable"
        ) from None
    pairs = []
    for each, old, middle in zip(entry.files, olds, middles, strict=True):
        had = old or b""
        new = None if each.new is None else had[: each.head] + middle + had[len(had) - each.tail :]
        for data, wanted in ((old, each.old), (new, each.new)):
            if data is not None and digest(data) != wanted:
                raise FileTrouble(f"{entry.file} is damaged", reason="unreadable", hint="delete it")
        pairs.append((old, new))
    return tuple(pairs)


def reopen(entry: KeptWrite) -> KeptWrite | None:
    """Begin to undo an entry or to do it again; None where somebody else has just done so."""
    opened = entry.file.with_suffix(_OPEN)
    try:
        entry.file.rename(opened)
    except FileNotFoundError:
        return None
    return replace(entry, file=opened)


def close(opened: KeptWrite, before: KeptWrite) -> None:
    """Leave an entry as it was `before` it was opened: nothing came of it."""
    with suppress(OSError):
        opened.file.rename(before.file.with_suffix(_UNDONE if before.is_undone else _KEPT))


def settle(opened: KeptWrite, *, undone: bool) -> None:
    """Note that the write of an entry was undone, or done again: it is the newest of all then."""
    with suppress(OSError):
        if undone:
            os.utime(opened.file, ns=(time.time_ns(), time.time_ns()))
            opened.file.rename(opened.file.with_suffix(_UNDONE))
            return
        names = sorted(_names(_folder()))
        rest = opened.file.stem.partition("-")[2]
        opened.file.rename(opened.file.with_name(f"{next_stamp(names):019d}-{rest}{_KEPT}"))


def _folder() -> Path:
    return state_folder() / "undo"


def _names(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith((_OPEN, _KEPT, _UNDONE))]  # noqa: PTH208 - names
    except FileNotFoundError:
        return []


def _write_entry(pasts: Sequence[Past], keep: Keep, *, aside: bool) -> Path:
    import json

    files: list[dict[str, object]] = []
    middles: list[bytes] = []
    for past in pasts:
        head, tail = _shared(past.data or b"", past.new or b"")
        new = past.new or b""
        middles.append(new[head : len(new) - tail])
        files.append(
            {
                "path": os.fspath(past.path),
                "size": None if past.data is None else len(past.data),
                "old": None if past.data is None else digest(past.data),
                "mode": past.mode,
                "new": None if past.new is None else digest(past.new),
                "new_mode": past.new_mode,
                "head": head,
                "tail": tail,
                "middle": len(middles[-1]),
                "format": past.format,
                "method": past.method,
            }
        )
    content = {"version": _VERSION, "aside": aside, "folders": _missing_folders(pasts), "files": files}
    first = json.dumps(content).encode("ascii")
    data = b"".join([first, b"\n", *middles, *(past.data or b"" for past in pasts)])
    most = keep.megabytes * 2**20
    if len(data) > most:
        raise FileTrouble(f"it is larger than {keep.megabytes} MiB", reason="disk_full")
    folder = _folder()
    folder.mkdir(mode=0o700, exist_ok=True)
    names = sorted(_names(folder))
    # Writes of one file come one after the other, under its lock: only a clock put back could mix them up
    now = next_stamp(names)
    prune(folder, names, now - keep.days * DAY, keep.entries - 1, most - len(data))
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


def _shared(old: bytes, new: bytes) -> tuple[int, int]:
    r"""How many bytes at the begin and at the end of two texts are the same, in whole lines.

    ``_shared(b"a\nb\\nc\\n", b"a\\nx\\nc\\n")`` is ``(2, 2)``.
    """
    left, right = old.splitlines(keepends=True), new.splitlines(keepends=True)
    head = tail = 0
    least = min(len(left), len(right))
    while head < least and left[head] == right[head]:
        head += 1
    while tail < least - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    return sum(map(len, left[:head])), sum(map(len, left[len(left) - tail :]))


def next_stamp(names: Sequence[str]) -> int:
    """A number above those of all names, and now where the clock was not put back."""
    return max(time.time_ns(), int(names[-1].partition("-")[0]) + 1 if names else 0)


def _missing_folders(pasts: Sequence[Past]) -> list[str]:
    """The folders that a write will make, parents first."""
    missing: set[Path] = set()
    for past in pasts:
        folder = past.path.parent
        while past.new is not None and folder not in missing and not folder.exists():
            missing.add(folder)
            folder = folder.parent
    return [os.fspath(folder) for folder in sorted(missing, key=lambda folder: len(folder.parts))]


def prune(folder: Path, names: Sequence[str], oldest: int, count: int, size: int) -> None:
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


def _read_entry(file: Path) -> KeptWrite:
    """Raises `ValueError` or the like for a damaged one."""
    import json

    stamp, name, size = file.stem.split("-")
    with file.open("rb") as opened:
        first = opened.readline()
        status = os.fstat(opened.fileno())
        if status.st_size != int(size):
            raise ValueError(file)
    content = json.loads(first)
    if content["version"] != _VERSION:
        raise ValueError(file)
    files = tuple(KeptFile(**each) for each in content["files"])
    changed = status.st_mtime_ns if file.suffix == _UNDONE else 0
    folders, aside = tuple(content["folders"]), bool(content["aside"])
    return KeptWrite(file, int(stamp), name, folders, files, len(first), changed, aside)
