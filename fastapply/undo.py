"""Putting a write back, and doing it again: the bytes and the permission bits of its files.

    place or id ─▶ `undo_last`, `redo_last` ─▶ Undone (which files, and what became of them)
    place       ─▶ `list_past` ─▶ the writes, newest first, and whether each can be put back

A place is a file or a folder, and means the last write there that was not undone; to do again, the one that
was undone last. An id is that of `log`. All files of a write are put back, or none. A file that still is
what was written gets its old bytes. One that was changed since keeps that change where it does not meet the
lines that are put back; else, and where its mode is another one, all is refused. git's index is left alone.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from functools import partial
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
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fastapply.files import Held, Operation
    from fastapply.files.history import Entry, KeptFile

_State = tuple[str | None, int | None]  # sha256 and mode; (None, None) where there is no file
_GONE: _State = (None, None)
_ID = re.compile(r"[0-9a-f]{4,8}")


@dataclass(frozen=True, slots=True)
class Undone:
    """A write that was put back or done again, or would be: `written` is false in a dry run.

    `merged` are its files that keep other changes.
    """

    entry: Entry
    sides: tuple[Sides, ...]  # from what is there to what will be, for a diff
    written: bool
    warnings: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    redo: bool = False


@dataclass(frozen=True, slots=True)
class PastWrite:
    """A write of the list; `changed` names its files whose present text leaves no room to put it back.

    With none, it can be undone once the newer writes of the same files are.
    """

    entry: Entry
    changed: tuple[str, ...]


def undo_last(place: str, *, write: bool = True) -> Undone:
    """Put back the last write of the file at `place`, of any file below that folder, or the one so called.

    Raises `Refused`: ``nothing_to_undo``, or ``changed_since`` where a file is no longer what was
    written; `FileTrouble` as writing does. After each of these all files are as before.
    """
    return _turn_back(place, redo=False, write=write)


def redo_last(place: str, *, write: bool = True) -> Undone:
    """Do the write again that was undone last, named as for `undo_last`; raises the same."""
    return _turn_back(place, redo=True, write=write)


def _turn_back(place: str, *, redo: bool, write: bool) -> Undone:
    # First: files that a kill left half changed hide what was written
    warnings = files.recover(_root(place))
    entry = _chosen(place, redo=redo)
    paths = [Path(each.path) for each in entry.files]
    with files.locked(*paths) as held:
        before, entry = entry, _chosen(place, redo=redo)
        if entry.name != before.name:
            raise Refused(
                f"another fastapply has just written or undone something in {place}",
                reason="changed_since",
                hint="run again to undo what is the last write now",
            )
        turns = _turns(entry, redo=redo)
        plans = [_plan(turn) for turn in turns]
        changed = [turn.path for turn, plan in zip(turns, plans, strict=True) if plan is None]
        if changed:
            raise _changed(changed, entry, redo=redo)
        ready = [plan for plan in plans if plan is not None]
        if write:
            warnings += _put_back(entry, [plan.operation for plan in ready], held, redo=redo)
    merged = tuple(turn.path for turn, plan in zip(turns, ready, strict=True) if plan.merged)
    return Undone(entry, tuple(plan.sides for plan in ready), write, warnings, merged, redo)


def text_before(place: str) -> bytes:
    """Give what a file held before its last write, or before the write so called. Raises `Refused`.

    Whatever the file is now; a write that is called by its id must be one of a single file.
    """
    entry, real = _chosen(place, redo=False), resolved(place)
    named = _is_id(place)
    for each, (old, _) in zip(entry.files, history.texts(entry), strict=True):
        if (each.path == real or (named and len(entry.files) == 1)) and old is not None:
            return old
    if named and len(entry.files) > 1:
        raise Refused(
            f"{place} wrote {len(entry.files)} files", reason="several_files", hint="name one of them"
        )
    raise Refused(f"the last write made {place}: there was no text before", reason="nothing_to_undo")


def list_past(place: str | None) -> Iterator[PastWrite]:
    """List the writes of a file, or of the files below a folder, newest first; None is all there are.

    Whether one can be undone is told as if all newer ones were undone first. The undone ones are among
    them, for each can be done again.
    """
    states: dict[str, _State] = {}
    texts: dict[str, Callable[[], bytes | None]] = {}  # of states that undoing makes
    for entry in _those_that_happened(place):
        if entry.is_undone:
            yield PastWrite(entry, ())
            continue
        for each in entry.files:
            if each.path not in states:
                states[each.path] = _now(each.path)
        merged: dict[str, bytes] = {}
        changed = tuple(
            each.path
            for number, each in enumerate(entry.files)
            if not _matches(each, states[each.path])
            and not _merges(entry, number, states[each.path], texts.get(each.path), merged)
        )
        if not changed:
            for number, each in enumerate(entry.files):
                text = merged.get(each.path)
                states[each.path] = (each.old if text is None else digest(text), each.mode)
                texts[each.path] = partial(_text_of, entry, number) if text is None else partial(bytes, text)
        yield PastWrite(entry, changed)


# --- which write ----------------------------------------------------------------------------------


def _is_id(place: str) -> bool:
    """Whether a name is meant for a write: as `log` shows it, and no file's, also not of one that is gone."""
    if _ID.fullmatch(place) is None or os.path.lexists(place):
        return False
    real = resolved(place)
    return not any(each.path == real for entry in history.entries() for each in entry.files)


def _chosen(place: str, *, redo: bool) -> Entry:
    if _is_id(place):
        return _called(place, redo=redo)
    found = (entry for entry in _those_that_happened(place) if entry.is_undone == redo and not entry.aside)
    entry = max(found, key=lambda one: one.changed, default=None) if redo else next(found, None)
    if entry is None:
        raise _nothing(place, redo=redo)
    return entry


def _root(place: str) -> str:
    """The folder or file that a name is about."""
    if _is_id(place):
        for entry in history.entries():
            if entry.name.startswith(place):
                return _common_folder(entry)
    return place


def _common_folder(entry: Entry) -> str:
    return os.path.commonpath([str(Path(each.path).parent) for each in entry.files])


def _called(name: str, *, redo: bool) -> Entry:
    found = [entry for entry in _those_that_happened(None) if entry.name.startswith(name)]
    fitting = [entry for entry in found if entry.is_undone == redo]
    if len(fitting) == 1 and len(found) == 1:
        return fitting[0]
    if len(found) > 1:
        names = ", ".join(entry.name for entry in found)
        raise Refused(f"several writes begin with {name}: {names}", reason="ambiguous", hint="name one")
    if found:
        what = "was not undone" if redo else "was undone already"
        hint = f"fastapply {'undo' if redo else 'redo'} {name} does the reverse"
        raise Refused(f"the write {found[0].name} {what}", reason="nothing_to_undo", hint=hint)
    raise Refused(
        f"fastapply has kept no write that is called {name}, and there is no such file",
        reason="nothing_to_undo",
        hint="fastapply log --all lists the writes of all folders",
    )


def _those_that_happened(place: str | None) -> Iterator[Entry]:
    """The entries for a place, without those whose write or undoing was cut off and left nothing to undo."""
    about = None if place is None else Path(resolved(place))
    for entry in history.entries():
        if about is not None and not any(Path(each.path).is_relative_to(about) for each in entry.files):
            continue
        if not entry.is_open or all(_matches(each, _now(each.path)) for each in entry.files):
            yield entry


def _nothing(place: str, *, redo: bool = False) -> Refused:
    where = "here" if place == "." else f"of {place}"
    return Refused(
        f"no write {where} was undone" if redo else f"fastapply has kept no write {where}",
        reason="nothing_to_undo",
        hint="fastapply log --all lists the writes of all folders",
    )


# --- is it still what was written? ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Turn:
    """One file of a write that is undone, or done again: what it should be now, and what it becomes."""

    path: str
    now: bytes | None
    now_state: _State  # a mode of None fits all
    then: bytes | None
    then_mode: int | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done to a file."""

    operation: Operation
    sides: Sides
    merged: bool


def _turns(entry: Entry, *, redo: bool) -> list[_Turn]:
    turns = []
    for each, (old, new) in zip(entry.files, history.texts(entry), strict=True):
        if redo:
            turns.append(_Turn(each.path, old, (each.old, each.mode), new, each.new_mode))
        else:
            turns.append(_Turn(each.path, new, (each.new, each.new_mode), old, each.mode))
    return turns


def _plan(turn: _Turn) -> _Plan | None:
    """What puts a file back; None where it is no longer what it should be."""
    path, state = Path(turn.path), _now(turn.path)
    if not _fits(turn.now_state, state):
        found = _read(path)
        then = None if found is None else _merged(turn, state, found.data)
        if found is None or then is None:
            return None
        operation: Operation = files.Restore(path, then, found.mode, found)
        return _Plan(operation, _sides(turn.path, found.data, then, found.mode, found.mode), merged=True)
    found = None if state == _GONE else files.read(path)
    if found is not None and digest(found.data) != turn.now_state[0]:  # changed within this moment
        return None
    if turn.then is None:
        if found is None:  # an entry that says nothing
            raise FileTrouble(f"{path}: the kept entry is damaged", reason="unreadable")
        operation = files.Delete(found)
    elif turn.then_mode is None:
        operation = files.Create(path, turn.then)
    else:
        operation = files.Restore(path, turn.then, turn.then_mode, found)
    data, mode = (found.data, found.mode) if found is not None else (None, None)
    return _Plan(operation, _sides(turn.path, data, turn.then, mode, turn.then_mode), merged=False)


def _read(path: Path) -> files.FileState | None:
    try:
        return files.read(path)
    except FileTrouble:
        return None


def _merged(turn: _Turn, state: _State, present: bytes) -> bytes | None:
    """The present text with this change taken back, or done again; None where others are in its way."""
    if turn.now is None or turn.then is None or turn.now == turn.then:
        return None
    if turn.now_state[1] not in {None, state[1]} or turn.then_mode != turn.now_state[1]:
        return None
    from fastapply.three_way import merge_bytes

    merged = merge_bytes(turn.now, present, turn.then)
    return None if merged == present else merged


def _merges(
    entry: Entry,
    number: int,
    state: _State,
    text: Callable[[], bytes | None] | None,
    merged: dict[str, bytes],
) -> bool:
    """Whether a file's change can be taken out of what the file will be then; that goes to `merged`."""
    if state[0] in {None, ""}:
        return False
    turn = _turns(entry, redo=False)[number]
    try:
        present = Path(turn.path).read_bytes() if text is None else text()
    except (OSError, FileTrouble):
        return False
    if present is None or digest(present) != state[0]:
        return False
    found = _merged(turn, state, present)
    if found is not None:
        merged[turn.path] = found
    return found is not None


def _text_of(entry: Entry, number: int) -> bytes | None:
    return history.texts(entry)[number][0]


def _changed(paths: Sequence[str], entry: Entry, *, redo: bool) -> Refused:
    names = ", ".join(shown_path(path) for path in paths)
    what = "what it was when the write was undone" if redo else "what fastapply wrote"
    hint = (
        "" if redo else "the old text is still kept: fastapply undo FILE -o PATH writes it to another place"
    )
    newer = [
        other.name
        for other in history.entries()
        if other.nanoseconds > entry.nanoseconds
        and not other.is_undone
        and any(each.path in paths for each in other.files)
    ]
    if newer:
        hint = f"newer writes changed the same lines: undo {', '.join(newer[:3])} first" + (
            f"\n{hint}" if hint else ""
        )
    return Refused(
        f"{names} {'is' if len(paths) == 1 else 'are'} no longer {what}", reason="changed_since", hint=hint
    )


def _matches(each: KeptFile, state: _State) -> bool:
    return _fits((each.new, each.new_mode), state)


def _fits(wanted: _State, state: _State) -> bool:
    return wanted[0] == state[0] and (wanted[1] is None or wanted[1] == state[1])


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


def _put_back(entry: Entry, operations: Iterable[Operation], held: Held, *, redo: bool) -> tuple[str, ...]:
    root = _common_folder(entry)
    opened = history.reopen(entry)
    if opened is None:
        raise _nothing(root)
    try:
        done = files.commit(root, list(operations), held)
    except FastapplyError:
        history.close(opened, entry)
        raise
    for folder in reversed(() if redo else entry.folders):
        with suppress(OSError):  # somebody put a file there
            Path(folder).rmdir()
    history.settle(opened, undone=not redo)
    return done.warnings


def _sides(
    path: str, before: bytes | None, after: bytes | None, old_mode: int | None, new_mode: int | None
) -> Sides:
    """Both sides of a diff; a text that cannot be shown is left out."""
    try:
        shown = [None if data is None else decode(data) for data in (before, after)]
    except FileTrouble:
        shown = [None, None]
    return Sides(name_in_diff(path), shown[0], shown[1], None, old_mode, new_mode)
