"""Putting a write back, and doing it again: the bytes and the permission bits of its files.

    place or id ─▶ `undo_last`, `redo_last` ─▶ Undone (which files, and what became of them)

A place is a file or a folder, and means the last write there that was not undone; to do again, the one that
was undone last. An id is that of `log`. All files of a write are put back, or none. A file that still is
what was written gets its old bytes. One that was changed since keeps that change where it does not meet the
lines that are put back; else, and where its mode is another one, all is refused. git's index is left alone.
"""

from __future__ import annotations

from contextlib import suppress
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
from fastapply.workspace.history import (
    GONE,
    ListedEntry,
    Turn,
    chosen_entry,
    common_folder,
    fits,
    is_id,
    list_entries,
    merged_text,
    no_entry,
    place_of,
    reverted_since,
    state_of,
    turns_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.workspace.files import Held, Operation
    from fastapply.workspace.files.entries import Entry

__all__ = ["ListedEntry", "Undone", "list_entries", "redo_last", "text_before", "undo_last"]


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
