"""Putting the last write back: exactly the bytes and the permission bits that it replaced.

    place ─▶ `undo_last` ─▶ Undone (which files, and what became of them)
    place ─▶ `list_past` ─▶ the writes, newest first, and whether each can be put back

The last write is taken off the list when it is undone, so that the next call undoes the one before; an
undo is no write itself and cannot be undone. A write is undone only if each of its files still is what
was written, bytes and mode; all of them are put back, or none. git's index is left alone.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply import files
from fastapply.diff import Sides
from fastapply.errors import FastapplyError, FileTrouble, Refused
from fastapply.files import history
from fastapply.files.lock import resolved
from fastapply.files.recover import digest
from fastapply.files.shown import name_in_diff, shown_path
from fastapply.text import decode
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastapply.files import Held, Operation
    from fastapply.files.history import Entry, KeptFile

_State = tuple[str | None, int | None]  # sha256 and mode; (None, None) where there is no file
_GONE: _State = (None, None)


@dataclass(frozen=True, slots=True)
class Undone:
    """A write that was put back, or would be: `written` is false in a dry run."""

    entry: Entry
    sides: tuple[Sides, ...]  # from what was written to what was before, for a diff
    written: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PastWrite:
    """A write of the list; `changed` names its files that are no longer what was written.

    With none, it can be undone once the newer writes of the same files are.
    """

    entry: Entry
    changed: tuple[str, ...]


def undo_last(place: str, *, write: bool = True) -> Undone:
    """Put back the last write of the file at `place`, or of any file below that folder.

    Raises `Refused`: ``nothing_to_undo``, or ``changed_since`` where a file is no longer what was
    written; `FileTrouble` as writing does. After each of these all files are as before.
    """
    warnings = files.recover(place)  # first: files that a kill left half changed hide what was written
    entry = _last(place)
    paths = [Path(each.path) for each in entry.files]
    with files.locked(*paths) as held:
        before, entry = entry, _last(place)
        if entry.name != before.name:
            raise Refused(
                f"another fastapply has just written or undone something in {place}",
                reason="changed_since",
                hint="run again to undo what is the last write now",
            )
        _check_as_written(entry)
        olds = history.old_bytes(entry)
        pairs = list(zip(entry.files, olds, strict=True))
        sides = tuple(_sides(each, old) for each, old in pairs)
        if write:
            warnings += _put_back(entry, [_operation(each, old) for each, old in pairs], held)
    return Undone(entry, sides, write, warnings)


def text_before(place: str) -> bytes:
    """Give what the file at `place` held before its last write, whatever it is now. Raises `Refused`."""
    entry, real = _last(place), resolved(place)
    for each, old in zip(entry.files, history.old_bytes(entry), strict=True):
        if each.path == real and old is not None:
            return old
    raise Refused(f"the last write made {place}: there was no text before", reason="nothing_to_undo")


def list_past(place: str | None) -> Iterator[PastWrite]:
    """List the writes of a file, or of the files below a folder, newest first; None is all there are.

    Whether one can be undone is told as if all newer ones were undone first.
    """
    states: dict[str, _State] = {}
    for entry in _those_that_happened(place):
        for each in entry.files:
            if each.path not in states:
                states[each.path] = _now(each.path)
        changed = tuple(each.path for each in entry.files if not _matches(each, states[each.path]))
        if not changed:
            states |= {each.path: (each.old, each.mode) for each in entry.files}
        yield PastWrite(entry, changed)


# --- which write ----------------------------------------------------------------------------------


def _last(place: str) -> Entry:
    for entry in _those_that_happened(place):
        return entry
    raise _nothing(place)


def _those_that_happened(place: str | None) -> Iterator[Entry]:
    """The entries for a place, without those whose write or undoing was cut off and left nothing to undo."""
    about = None if place is None else Path(resolved(place))
    for entry in history.entries():
        if about is not None and not any(Path(each.path).is_relative_to(about) for each in entry.files):
            continue
        if not entry.is_open or all(_matches(each, _now(each.path)) for each in entry.files):
            yield entry


def _nothing(place: str) -> Refused:
    return Refused(
        f"fastapply has kept no write of {place}" if place != "." else "fastapply has kept no write here",
        reason="nothing_to_undo",
        hint="fastapply log --all lists the writes of all folders",
    )


# --- is it still what was written? ----------------------------------------------------------------


def _check_as_written(entry: Entry) -> None:
    changed = [each.path for each in entry.files if not _matches(each, _now(each.path))]
    if changed:
        raise _changed(changed)


def _changed(paths: Sequence[str]) -> Refused:
    names = ", ".join(shown_path(path) for path in paths)
    return Refused(
        f"{names} {'is' if len(paths) == 1 else 'are'} no longer what fastapply wrote",
        reason="changed_since",
        hint="the old text is still kept: fastapply undo FILE -o PATH writes it to another place",
    )


def _matches(each: KeptFile, state: _State) -> bool:
    found, mode = state
    return found == each.new and (each.new_mode is None or mode == each.new_mode)


def _now(path: str) -> _State:
    """What a file is; one behind a link that was not there, or that is no file, is as no other."""
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or resolved(path) != path:
            return "", None
        return digest(Path(path).read_bytes()), stat.S_IMODE(status.st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return _GONE
    except OSError:
        return "", None


# --- putting back ---------------------------------------------------------------------------------


def _operation(each: KeptFile, old: bytes | None) -> Operation:
    path = Path(each.path)
    state = None if each.new is None else files.read(path)
    if state is not None and not _matches(each, (digest(state.data), state.mode)):
        raise _changed([each.path])
    if old is not None and each.mode is not None:
        return files.Restore(path, old, each.mode, state)
    if state is None:  # an entry that says nothing
        raise FileTrouble(f"{path}: the kept entry is damaged", reason="unreadable")
    return files.Delete(state)


def _put_back(entry: Entry, operations: Iterable[Operation], held: Held) -> tuple[str, ...]:
    root = os.path.commonpath([str(Path(each.path).parent) for each in entry.files])
    opened = history.reopen(entry)
    if opened is None:
        raise _nothing(root)
    try:
        done = files.commit(root, list(operations), held)
    except FastapplyError:
        history.close(opened)
        raise
    for folder in reversed(entry.folders):
        with suppress(OSError):  # somebody put a file there
            Path(folder).rmdir()
    history.forget(opened)
    return done.warnings


def _sides(each: KeptFile, old: bytes | None) -> Sides:
    """Both sides of a diff; a text that cannot be shown is left out."""
    try:
        before = None if each.new is None else decode(Path(each.path).read_bytes())
        after = None if old is None else decode(old)
    except FileTrouble:
        before = after = None
    return Sides(name_in_diff(each.path), before, after, None, each.new_mode, each.mode)
