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

`add` and what follows it keep other things in the same way, in folders where the oldest files go first.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import FastapplyError, FileTrouble
from fastapply.folders import state_folder
from fastapply.values import dataclass, fields_of, replace
from fastapply.workspace.files.recover import digest
from fastapply.workspace.files.write import missing_folders

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VERSION = 2
_OPEN, _KEPT, _UNDONE = ".open", ".kept", ".undone"
_ENDINGS = (_OPEN, _KEPT, _UNDONE)
_DAY = 86_400 * 10**9  # nanoseconds


@dataclass(frozen=True, slots=True)
class Replaced:
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
class EntryFile:
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
class Entry:
    """One write that may be undone."""

    file: Path
    nanoseconds: int  # since 1970, when the write was
    name: str
    folders: tuple[str, ...]
    files: tuple[EntryFile, ...]
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
def remembered(
    replaced: Sequence[Replaced], keep: Keep | None, *, aside: bool = False
) -> Iterator[list[str]]:
    """Keep what the write inside of this block replaces; with None for `keep`, do nothing.

    One `aside` is undone only where it is named. A write is never stopped by this: where the old bytes
    cannot be kept, a warning is put into the list that the block gets.
    """
    warnings: list[str] = []
    entry: Path | None = None
    replaced = [each for each in replaced if (each.data, each.mode) != (each.new, each.new_mode)]
    if keep is not None and replaced:
        try:
            entry = _write_entry(replaced, keep, aside=aside)
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


def replaced_at(path: Path, new: bytes) -> tuple[Replaced, ...]:
    """What a file that any program may have written is now; () for a pipe, a device, a folder."""
    target = Path(os.path.realpath(path))
    try:
        status = target.stat()
        if not stat.S_ISREG(status.st_mode):
            return ()
        mode = stat.S_IMODE(status.st_mode)
        return (Replaced(target, target.read_bytes(), mode, new, mode),)
    except FileNotFoundError:
        return (Replaced(target, None, None, new),)
    except OSError:  # the write will say so
        return ()


def read_entries() -> Iterator[Entry]:
    """Read the entries, newest first. A damaged one is passed over."""
    folder = _folder()
    for name in reversed(names_in(folder, _ENDINGS)):
        with suppress(OSError, ValueError, KeyError, TypeError):
            yield _read_entry(folder / name)


def texts(entry: Entry) -> tuple[tuple[bytes | None, bytes | None], ...]:
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


def reopen(entry: Entry) -> Entry | None:
    """Begin to undo an entry or to do it again; None where somebody else has just done so."""
    opened = entry.file.with_suffix(_OPEN)
    try:
        entry.file.rename(opened)
    except FileNotFoundError:
        return None
    return replace(entry, file=opened)


def close(opened: Entry, before: Entry) -> None:
    """Leave an entry as it was `before` it was opened: nothing came of it."""
    with suppress(OSError):
        opened.file.rename(before.file.with_suffix(_UNDONE if before.is_undone else _KEPT))


def settle(opened: Entry, *, undone: bool) -> None:
    """Note that the write of an entry was undone, or done again: it is the newest of all then."""
    with suppress(OSError):
        if undone:
            os.utime(opened.file, ns=(time.time_ns(), time.time_ns()))
            opened.file.rename(opened.file.with_suffix(_UNDONE))
            return
        names = names_in(_folder(), _ENDINGS)
        rest = opened.file.stem.partition("-")[2]
        opened.file.rename(opened.file.with_name(f"{next_stamp(names):019d}-{rest}{_KEPT}"))


def _folder() -> Path:
    return state_folder() / "undo"


def _write_entry(replaced: Sequence[Replaced], keep: Keep, *, aside: bool) -> Path:
    import json

    files: list[dict[str, object]] = []
    middles: list[bytes] = []
    for each in replaced:
        old, new = each.data or b"", each.new or b""
        head, tail = _shared(old, new)
        middles.append(new[head : len(new) - tail])
        file = EntryFile(
            os.fspath(each.path),
            None if each.data is None else len(old),
            None if each.data is None else digest(old),
            each.mode,
            None if each.new is None else digest(new),
            each.new_mode,
            head,
            tail,
            len(middles[-1]),
            each.format,
            each.method,
        )
        files.append(fields_of(file))
    folders = [
        os.fspath(folder) for folder in missing_folders(one.path for one in replaced if one.new is not None)
    ]
    content = {"version": _VERSION, "aside": aside, "folders": folders, "files": files}
    first = json.dumps(content).encode("ascii")
    data = b"".join([first, b"\n", *middles, *(each.data or b"" for each in replaced)])
    # Writes of one file come one after the other, under its lock: only a clock put back could mix them up
    return add(_folder(), data, keep, _OPEN, _ENDINGS)


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


def _read_entry(file: Path) -> Entry:
    """Raises `ValueError` or the like for a damaged one."""
    import json

    with file.open("rb") as opened:
        first = opened.readline()
        status = os.fstat(opened.fileno())
    nanoseconds, name = read_name(file, status.st_size)
    content = json.loads(first)
    if content["version"] != _VERSION:
        raise ValueError(file)
    files = tuple(EntryFile(**each) for each in content["files"])
    changed = status.st_mtime_ns if file.suffix == _UNDONE else 0
    folders, aside = tuple(content["folders"]), bool(content["aside"])
    return Entry(file, nanoseconds, name, folders, files, len(first), changed, aside)


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
