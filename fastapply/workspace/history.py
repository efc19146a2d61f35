"""The writes that were kept: which one a name means, what its files should be now, and what they are.

    place or id ─▶ `chosen_entry` ─▶ Entry ─▶ `turns_of` ─▶ what each file should be and becomes
    place       ─▶ `list_entries` ─▶ the writes, newest first, and whether each can be put back

Nothing here writes; `undo` does.
"""

from __future__ import annotations

import os
import re
import stat
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble, Refused
from fastapply.values import dataclass
from fastapply.workspace.files import entries
from fastapply.workspace.files.lock import resolved
from fastapply.workspace.files.recover import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
