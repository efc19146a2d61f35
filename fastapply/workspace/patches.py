"""Edits of several files: all of them change, or none, and all inside of one folder.

bytes of an edit that names its own files ─▶ `change_files` ───────┐
edits, each with its file's name ─────────▶ `change_named_files` ─┴▶ Outcome (what changed, and how)
"""

from __future__ import annotations

import os
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import EditError, FileTrouble, Refused, UsageError
from fastapply.pipeline import read_edit
from fastapply.pipeline.picks import notes_on
from fastapply.text import encode
from fastapply.types import METHOD_ORDER
from fastapply.values import dataclass, replace
from fastapply.workspace import files
from fastapply.workspace.changes import (
    Change,
    Outcome,
    asked_mode,
    change_one,
    check_git,
    lock_now,
    make_change,
    read_bytes,
    replaced_by,
    stage_written,
)
from fastapply.workspace.files.root import name_in_diff

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from fastapply.types import Edit, FileEdit, Merged, Options, Spare
    from fastapply.workspace.changes import Change, Job
    from fastapply.workspace.files import FileState, Held, Operation


_KEEP = files.Keep()


@dataclass(frozen=True, slots=True)
class _Target:
    """A file of a patch: its name in the edit, and its place."""

    file_edit: FileEdit
    path: Path
    new_path: Path | None


def change_files(root: str, data: bytes, job: Job) -> Outcome:
    """Carry out an edit that names its own files, all of them under `root`: all change, or none."""
    base = Path(os.path.realpath(root))
    if not base.is_dir():
        raise UsageError(f"--root {root} is not a folder")
    edit = read_edit(read_bytes(data, None), path=None, original=None, options=job.options)
    targets = [_target(base, file_edit) for file_edit in edit.files]
    places = [place for one in targets for place in (one.path, one.new_path) if place is not None]
    warnings: tuple[str, ...] = ()
    with ExitStack() as stack:
        held: Held | None = None
        if job.write:
            warnings = files.recover(base)
            held = lock_now(stack, places, job)
        spares: list[Spare] = []  # all files are merged with the same picks
        pairs = [
            _plan(base, target, edit, job.options, spares, alone=len(targets) == 1) for target in targets
        ]
        warnings = (*warnings, *notes_on(spares))
        changes = tuple(change for change, _ in pairs)
        planned = [(operation, change) for change, operation in pairs if operation is not None]
        operations = [operation for operation, _ in planned]
        check_git([target.path for target in targets], places, job)
        if not job.write or not operations:
            return Outcome(changes, written=False, warnings=warnings)
        held = held or stack.enter_context(files.locked(*places))
        replaced = [each for operation, change in planned for each in replaced_by(operation, change)]
        with files.remembered(replaced, job.keep) as not_kept:
            done = files.commit(base, operations, held, backup=job.backup)
    stage_written(places, job)
    return Outcome(changes, True, (*warnings, *not_kept, *done.warnings), done.backups)


def _target(base: Path, file_edit: FileEdit) -> _Target:
    if file_edit.path is None:
        raise EditError(
            "the edit does not name its file",
            reason="no_file_name",
            hint="name the file in the edit, or use fastapply apply FILE",
        )
    new_path = files.inside(base, file_edit.new_path) if file_edit.new_path else None
    place = files.inside(base, file_edit.path)
    return _Target(file_edit, place, new_path if new_path != place else None)


def _plan(
    base: Path, target: _Target, edit: Edit, options: Options, spares: list[Spare], *, alone: bool
) -> tuple[Change, Operation | None]:
    """Merge one file's part, and name what has to be done on the disk."""
    file_edit = target.file_edit
    name = target.path.relative_to(base).as_posix()
    exists = os.path.lexists(target.path)
    if target.new_path is not None and os.path.lexists(target.new_path):
        raise FileTrouble(
            f"{file_edit.new_path} already exists: a move cannot replace a file", reason="exists"
        )
    state = files.read(target.path) if exists or file_edit.action != "create" else None
    if state is not None and alone and file_edit.action == "update":
        again = read_edit(edit.text, path=name, original=state.source, options=options)
        edit, file_edit = again, again.files[0]  # read once more, with the file's own lines in hand
    try:
        change, merged = make_change(name, state, edit, file_edit, options, place=target.path)
        spares.append(merged.spare)
    except Refused as refused:
        refused.message = f"{name}: {refused.message}"
        raise
    if target.new_path is not None:
        change = replace(change, new_path=target.new_path.relative_to(base).as_posix())
    return _operation(target, state, change, merged)


def _operation(
    target: _Target, state: FileState | None, change: Change, merged: Merged
) -> tuple[Change, Operation | None]:
    if change.action == "delete" and state is not None:
        if merged.text.lines and target.file_edit.parts:
            raise Refused(
                f"{change.path}: the edit deletes the file but does not match its content",
                reason="not_found",
                hint="the file changed after the edit was written; read it again",
            )
        return change, files.Delete(state)
    data = encode(merged.text)
    mode = asked_mode(change)
    if state is None:
        return change, None if change.unchanged else files.Create(target.path, data, mode)
    if target.new_path is not None and (change.taken is None or change.taken.header):
        sides = replace(change.sides, new_path=name_in_diff(target.new_path))
        return replace(change, sides=sides, unchanged=False), files.Move(state, target.new_path, data, mode)
    return change, None if change.unchanged else files.Write(state, data, mode)


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
            plans[place] = _plan_named(base, place, edit, plans.get(place))
        changes = tuple(plan.change for plan in plans.values())
        warnings = (*warnings, *(note for plan in plans.values() for note in plan.notes))
        planned = [(_operation_named(place, plan), plan.change) for place, plan in plans.items()]
        operations = [operation for operation, _ in planned if operation is not None]
        if held is None or not operations:
            return Outcome(changes, written=False, warnings=warnings)
        if before_write is not None:
            before_write()
        replaced = [each for one, change in planned if one for each in replaced_by(one, change)]
        with files.remembered(replaced, keep) as not_kept:
            done = files.commit(base, operations, held)
    return Outcome(changes, True, (*warnings, *not_kept, *done.warnings), done.backups)


def _plan_named(base: Path, place: Path, edit: NamedEdit, earlier: _Plan | None) -> _Plan:
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


def _operation_named(place: Path, plan: _Plan) -> Operation | None:
    data = encode(plan.merged.text)  # a dry run tells as well that the encoding can't hold it
    if plan.state is None:
        return files.Create(place, data, asked_mode(plan.change))
    return None if plan.change.unchanged else files.Write(plan.state, data, asked_mode(plan.change))
