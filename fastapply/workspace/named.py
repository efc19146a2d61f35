"""Edits for files that the caller names: all of them change, or none, and all inside of one folder.

edits, each with its file's name ─▶ `change_named_files` ─▶ Outcome (what changed, and how)
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble, Refused, UsageError
from fastapply.pipeline.picks import notes_on
from fastapply.text import encode
from fastapply.types import METHOD_ORDER
from fastapply.values import dataclass, replace
from fastapply.workspace import files
from fastapply.workspace.changes import Change, Outcome, asked_mode, change_one, replaced_by

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from fastapply.types import Merged, Options
    from fastapply.workspace.files import FileState, Held, Operation


_KEEP = files.Keep()


@dataclass(frozen=True, slots=True)
class NamedEdit:
    """An edit for one file that the caller names, and how to read it."""

    path: str
    edit: bytes
    options: Options


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the edits of one file make of it."""

    state: FileState | None
    change: Change
    merged: Merged
    notes: tuple[str, ...] = ()  # on answers that were not needed


def change_named_files(
    root: str | os.PathLike[str],
    edits: Sequence[NamedEdit],
    *,
    write: bool = True,
    keep: files.Keep | None = _KEEP,
    before_write: Callable[[], None] | None = None,
) -> Outcome:
    """Put edits into files under `root`; several edits of one file are merged one after the other.

    Without `write` it is a dry run. `keep` is how much `fastapply undo` may put back, None for nothing.
    `before_write` is called when all is merged and verified, and may
    still raise. Raises `UsageError`, `FileTrouble` and what `merge_edit` and `read_edit` raise; a refusal
    names its file, and no file is changed then.
    """
    base = Path(os.path.realpath(root))
    if not base.is_dir():
        raise UsageError(f"the root {root} is not a folder")
    places = [files.inside(base, edit.path) for edit in edits]
    warnings: tuple[str, ...] = ()
    lock: AbstractContextManager[Held | None] = nullcontext()
    if write:
        warnings = files.recover(base)
        lock = files.locked(*dict.fromkeys(places))
    with lock as held:
        plans: dict[Path, _Plan] = {}
        for place, edit in zip(places, edits, strict=True):
            plans[place] = _plan(base, place, edit, plans.get(place))
        changes = tuple(plan.change for plan in plans.values())
        warnings = (*warnings, *(note for plan in plans.values() for note in plan.notes))
        planned = [(_operation(place, plan), plan.change) for place, plan in plans.items()]
        operations = [operation for operation, _ in planned if operation is not None]
        if held is None or not operations:
            return Outcome(changes, written=False, warnings=warnings)
        if before_write is not None:
            before_write()
        replaced = [each for one, change in planned if one for each in replaced_by(one, change)]
        with files.remembered(replaced, keep) as not_kept:
            done = files.commit(base, operations, held)
    return Outcome(changes, True, (*warnings, *not_kept, *done.warnings), done.backups)


def _plan(base: Path, place: Path, edit: NamedEdit, earlier: _Plan | None) -> _Plan:
    """Merge an edit into a file, or into what the earlier edits of it have made of the file."""
    name = place.relative_to(base).as_posix()
    if earlier is None:
        state = files.read(place) if os.path.lexists(place) else None
        if state is not None and not state.path.is_relative_to(base):
            raise FileTrouble(f"{name} is a link that leads out of {base}", reason="outside_root")
    elif earlier.state is None:
        raise Refused(
            f"{name}: an earlier edit of the same call creates the file",
            reason="conflict",
            hint="send the whole new file in one edit",
        )
    else:
        state = replace(earlier.state, source=earlier.merged.text)
    try:
        change, merged = change_one(name, state, edit.edit, edit.options, place=place)
        notes = (*merged.notes, *notes_on([merged.spare]))
    except Refused as refused:
        refused.message = f"{name}: {refused.message}"
        raise
    if earlier is None:
        return _Plan(state, change, merged, notes)
    return replace(_together(earlier, change, merged), notes=(*earlier.notes, *notes))


def _together(earlier: _Plan, change: Change, merged: Merged) -> _Plan:
    """One change of a file out of two that follow each other."""
    first = earlier.change
    mode = asked_mode(change) or first.sides.new_mode
    sides = replace(change.sides, before=first.sides.before, new_mode=mode)
    both = replace(
        change,
        unchanged=merged.text == sides.before and mode == sides.old_mode,
        format=change.format if change.format == first.format else "mixed",
        method=max(first.method, change.method, key=METHOD_ORDER.index),
        sides=sides,
        accepted=(*first.accepted, *change.accepted),
    )
    return _Plan(earlier.state, both, merged)


def _operation(place: Path, plan: _Plan) -> Operation | None:
    data = encode(plan.merged.text)  # a dry run tells as well that the encoding can't hold it
    if plan.state is None:
        return files.Create(place, data, asked_mode(plan.change))
    return None if plan.change.unchanged else files.Write(plan.state, data, asked_mode(plan.change))
