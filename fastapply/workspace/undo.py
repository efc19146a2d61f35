"""Putting a write back, and doing it again: the bytes and the permission bits of its files.

    place or id ─▶ `undo_last`, `redo_last` ─▶ Undone (which files, and what became of them)
    place       ─▶ `list_entries` ─▶ the writes, newest first, and whether each can be put back

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

from fastapply.errors import FastapplyError, FileTrouble, Refused
from fastapply.text import decode
from fastapply.text.diff import Sides
from fastapply.values import dataclass
from fastapply.workspace import files
from fastapply.workspace.files import entries
from fastapply.workspace.files.lock import resolved
from fastapply.workspace.files.recover import digest
from fastapply.workspace.files.root import name_in_diff, shown_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fastapply.workspace.files import Held, Operation
    from fastapply.workspace.files.entries import Entry, EntryFile

State = tuple[str | None, int | None]
"""A file's sha256 and mode; (None, None) where there is none."""
GONE: State = (None, None)
_ID = re.compile(r"[0-9a-f]{4,8}")


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """A write of the list; `changed` names its files whose present text leaves no room to put it back.

    With none, it can be undone once the newer writes of the same files are.
    """

    entry: Entry
    changed: tuple[str, ...]


def list_entries(place: str | None) -> Iterator[ListedEntry]:
    """List the writes of a file, or of the files below a folder, newest first; None is all there are.

    Whether one can be undone is told as if all newer ones were undone first. The undone ones are among
    them, for each can be done again.
    """
    states: dict[str, State] = {}
    texts: dict[str, Callable[[], bytes | None]] = {}  # of states that undoing makes
    for entry in _those_that_happened(place):
        if entry.is_undone:
            yield ListedEntry(entry, ())
            continue
        for each in entry.files:
            if each.path not in states:
                states[each.path] = state_of(each.path)
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
        yield ListedEntry(entry, changed)


# --- which write ----------------------------------------------------------------------------------


def is_id(place: str) -> bool:
    """Whether a name is meant for a write: as `log` shows it, and no file's, also not of one that is gone."""
    if _ID.fullmatch(place) is None or os.path.lexists(place):
        return False
    real = resolved(place)
    return not any(each.path == real for entry in entries.read_entries() for each in entry.files)


def chosen_entry(place: str, *, redo: bool, present: bool = False) -> Entry:
    """The write that a place or an id means, to be undone or done again. Raises `Refused`.

    With `present`, a place means the last write that was not reverted.
    """
    if is_id(place):
        return _called(place, redo=redo)
    found = [entry for entry in _those_that_happened(place) if entry.is_undone == redo and not entry.aside]
    if not found:
        raise no_entry(place, redo=redo)
    if redo:
        return max(found, key=lambda one: one.changed)
    if not present:
        return found[0]
    left = (entry for n, entry in enumerate(found) if not _is_reverted(entry, found[n + 1 :]))
    entry = next(left, None)
    if entry is None:
        raise no_entry(place, reverted=[one.name for one in found])
    return entry


def reverted_since(place: str, entry: Entry) -> tuple[str, ...]:
    """Ids of the writes that `chosen_entry` passed over on its way to a write."""
    return tuple(
        other.name
        for other in _those_that_happened(None if is_id(place) else place)
        if not is_id(place) and other.nanoseconds > entry.nanoseconds and not (other.is_undone or other.aside)
    )


def place_of(place: str) -> str:
    """The folder or file that a name is about."""
    if is_id(place):
        for entry in entries.read_entries():
            if entry.name.startswith(place):
                return common_folder(entry)
    return place


def common_folder(entry: Entry) -> str:
    """The folder that holds all files of a write."""
    return os.path.commonpath([str(Path(each.path).parent) for each in entry.files])


def _called(name: str, *, redo: bool) -> Entry:
    found = [entry for entry in _those_that_happened(None) if entry.name.startswith(name)]
    fitting = [entry for entry in found if entry.is_undone == redo]
    if len(fitting) == 1 and len(found) == 1:
        return fitting[0]
    if len(found) > 1:
        names = ", ".join(entry.name for entry in found)
        raise Refused(f"ambiguous write ID {name}: {names}", reason="ambiguous", hint="name one")
    if found:
        what = "is not undone" if redo else "is already undone"
        hint = f"run fastapply {'undo' if redo else 'redo'} {name} to reverse it"
        raise Refused(f"the write {found[0].name} {what}", reason="nothing_to_undo", hint=hint)
    raise Refused(
        f"no file or write {name} found",
        reason="nothing_to_undo",
        hint="run fastapply log --all to list writes in all folders",
    )


def _those_that_happened(place: str | None) -> Iterator[Entry]:
    """The entries for a place, without those whose write or undoing was cut off and left nothing to undo."""
    about = None if place is None else Path(resolved(place))
    for entry in entries.read_entries():
        if about is not None and not any(Path(each.path).is_relative_to(about) for each in entry.files):
            continue
        if not entry.is_open or all(_matches(each, state_of(each.path)) for each in entry.files):
            yield entry


def no_entry(place: str, *, redo: bool = False, reverted: Sequence[str] = ()) -> Refused:
    """The refusal where there is no write to undo, or none to do again; `reverted` are in no file now."""
    where = "here" if place == "." else f"for {place}"
    if reverted:
        names = ", ".join(reverted[:3]) + (" ..." if len(reverted) > 3 else "")
        return Refused(
            f"nothing to undo {where}: already reverted: {names}",
            reason="changed_since",
            hint="run fastapply log to list writes",
        )
    return Refused(
        f"nothing to redo {where}" if redo else f"nothing to undo {where}",
        reason="nothing_to_undo",
        hint="run fastapply log --all to list writes in all folders",
    )


# --- what its files should be, and what they are --------------------------------------------------


@dataclass(frozen=True, slots=True)
class Turn:
    """One file of a write that is undone, or done again: what it should be now, and what it becomes."""

    path: str
    now: bytes | None
    now_state: State  # a mode of None fits all
    then: bytes | None
    then_mode: int | None


def turns_of(entry: Entry, *, redo: bool) -> list[Turn]:
    """What undoing a write, or doing it again, makes of each of its files."""
    turns = []
    for each, (old, new) in zip(entry.files, entries.texts(entry), strict=True):
        if redo:
            turns.append(Turn(each.path, old, (each.old, each.mode), new, each.new_mode))
        else:
            turns.append(Turn(each.path, new, (each.new, each.new_mode), old, each.mode))
    return turns


def _is_reverted(entry: Entry, older: Sequence[Entry]) -> bool:
    """Whether somebody else, git for example, put all files of a write back to what they were before it."""
    return all(
        not _matches(each, state := state_of(each.path))
        and any(
            fits((other.old, other.mode), state)
            for one in (entry, *older)
            for other in one.files
            if other.path == each.path
        )
        for each in entry.files
    )


def merged_text(turn: Turn, state: State, present: bytes) -> bytes | None:
    """The present text with this change taken back, or done again; None where others are in its way."""
    if turn.now is None or turn.then is None or turn.now == turn.then:
        return None
    if turn.now_state[1] not in {None, state[1]} or turn.then_mode != turn.now_state[1]:
        return None
    from fastapply.workspace.git import merge_bytes

    merged = merge_bytes(turn.now, present, turn.then)
    return None if merged == present else merged


def _merges(
    entry: Entry,
    number: int,
    state: State,
    text: Callable[[], bytes | None] | None,
    merged: dict[str, bytes],
) -> bool:
    """Whether a file's change can be taken out of what the file will be then; that goes to `merged`."""
    if state[0] in {None, ""}:
        return False
    turn = turns_of(entry, redo=False)[number]
    try:
        present = Path(turn.path).read_bytes() if text is None else text()
    except (OSError, FileTrouble):
        return False
    if present is None or digest(present) != state[0]:
        return False
    found = merged_text(turn, state, present)
    if found is not None:
        merged[turn.path] = found
    return found is not None


def _text_of(entry: Entry, number: int) -> bytes | None:
    return entries.texts(entry)[number][0]


def _matches(each: EntryFile, state: State) -> bool:
    return fits((each.new, each.new_mode), state)


def fits(wanted: State, state: State) -> bool:
    """Whether a file is what it should be; a mode of None that is wanted fits all."""
    return wanted[0] == state[0] and (wanted[1] is None or wanted[1] == state[1])


def state_of(path: str) -> State:
    """What a file is; one behind a link that was not there, or that is no file, is as no other."""
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or resolved(path) != path:
            return "", None
        return digest(Path(path).read_bytes()), stat.S_IMODE(status.st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return GONE
    except OSError:
        return "", None


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
    warnings = files.recover(place_of(place))
    entry = chosen_entry(place, redo=redo, present=not redo)
    paths = [Path(each.path) for each in entry.files]
    with files.locked(*paths) as held:
        before, entry = entry, chosen_entry(place, redo=redo, present=not redo)
        if entry.name != before.name:
            raise Refused(
                f"another fastapply process changed files in {place}",
                reason="changed_since",
                hint="run again to undo the latest write",
            )
        if not redo and (skipped := reverted_since(place, entry)):
            warnings += (f"already reverted, skipped: {', '.join(skipped)}",)
        turns = turns_of(entry, redo=redo)
        plans = [_plan(turn) for turn in turns]
        changed = [turn.path for turn, plan in zip(turns, plans, strict=True) if plan is None]
        if changed:
            raise _changed(changed, entry, place, redo=redo)
        ready = [plan for plan in plans if plan is not None]
        if write:
            warnings += _put_back(entry, [plan.operation for plan in ready], held, redo=redo)
    merged = tuple(turn.path for turn, plan in zip(turns, ready, strict=True) if plan.merged)
    return Undone(entry, tuple(plan.sides for plan in ready), write, warnings, merged, redo)


def text_before(place: str) -> bytes:
    """Give what a file held before its last write, or before the write so called. Raises `Refused`.

    Whatever the file is now; a write that is called by its id must be one of a single file.
    """
    entry, real = chosen_entry(place, redo=False), resolved(place)
    named = is_id(place)
    for each, (old, _) in zip(entry.files, entries.texts(entry), strict=True):
        if (each.path == real or (named and len(entry.files) == 1)) and old is not None:
            return old
    if named and len(entry.files) > 1:
        raise Refused(
            f"{place} wrote {len(entry.files)} files", reason="several_files", hint="name one of them"
        )
    raise Refused(f"the last write created {place}; there is no older version", reason="nothing_to_undo")


# --- is it still what was written? ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done to a file."""

    operation: Operation
    sides: Sides
    merged: bool


def _plan(turn: Turn) -> _Plan | None:
    """What puts a file back; None where it is no longer what it should be."""
    path, state = Path(turn.path), state_of(turn.path)
    if not fits(turn.now_state, state):
        found = None
        with suppress(FileTrouble):
            found = files.read(path)
        then = None if found is None else merged_text(turn, state, found.data)
        if found is None or then is None:
            return None
        operation: Operation = files.Restore(path, then, found.mode, found)
        return _Plan(operation, _sides(turn.path, found.data, then, found.mode, found.mode), merged=True)
    found = None if state == GONE else files.read(path)
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


def _changed(paths: Sequence[str], entry: Entry, place: str, *, redo: bool) -> Refused:
    names = ", ".join(shown_path(path) for path in paths)
    what = "the undo" if redo else f"fastapply wrote {'it' if len(paths) == 1 else 'them'}"
    hint = "" if redo else "to save the old version elsewhere, run fastapply undo FILE -o PATH"
    newer = [
        other.name
        for other in entries.read_entries()
        if other.nanoseconds > entry.nanoseconds
        and not other.is_undone
        and any(each.path in paths for each in other.files)
    ]
    if newer:
        hint = f"newer writes changed the same lines: undo {', '.join(newer[:3])} first" + (
            f"\n{hint}" if hint else ""
        )
    older = next(
        (
            one.entry.name
            for one in list_entries(place_of(place))
            if not (redo or one.changed or one.entry.is_undone or one.entry.aside)
            and one.entry.nanoseconds < entry.nanoseconds
        ),
        None,
    )
    if older is not None:
        hint += f"\nto undo the write before it, run fastapply undo {older}"
    return Refused(f"{names} changed after {what}", reason="changed_since", hint=hint)


# --- putting back ---------------------------------------------------------------------------------


def _put_back(entry: Entry, operations: Iterable[Operation], held: Held, *, redo: bool) -> tuple[str, ...]:
    root = common_folder(entry)
    opened = entries.reopen(entry)
    if opened is None:
        raise no_entry(root)
    try:
        done = files.commit(root, list(operations), held)
    except FastapplyError:
        entries.close(opened, entry)
        raise
    for folder in reversed(() if redo else entry.folders):
        with suppress(OSError):  # somebody put a file there
            Path(folder).rmdir()
    entries.settle(opened, undone=not redo)
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
