"""Edits for files on the disk: read, merge, write.

    bytes of the edit ─▶ `change_file` ─▶ Outcome (what changed, and how)

Every face that changes files goes through here, or through `patches` for several at once. Nothing
here prints; a run that ends without a change is an exception of `errors`.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import EditError, FastapplyError, FileTrouble, Refused
from fastapply.pipeline import merge_edit, read_edit
from fastapply.pipeline.picks import notes_on
from fastapply.text import decode, encode
from fastapply.text.diff import Sides, count_changes, render_diff
from fastapply.types import METHOD_ORDER, Merged, Options
from fastapply.values import dataclass, replace
from fastapply.workspace import files
from fastapply.workspace.files.root import name_in_diff

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fastapply.text import SourceText
    from fastapply.types import Action, Edit, FileEdit, Finding, FormatName, Method, ModelRun, Question, Taken
    from fastapply.workspace.files import FileState, Held, Operation


@dataclass(frozen=True, slots=True)
class Job:
    """What to do with a merge besides making it."""

    options: Options
    write: bool = True  # False: a dry run
    output: Path | None = None  # write the merged text there, and leave the file alone
    stage: bool = False
    require_clean: bool = False
    backup: bool = False
    keep: files.Keep | None = files.Keep()  # what `undo` may put back; None: nothing is kept
    announce: Callable[[Outcome, Sequence[files.Replaced]], None] | None = None  # called right before a write


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit makes of one file; `path` is the name that the caller or the edit uses.

    `new_path` is where it is moved to, named alike. The names in `sides` are those for a diff.
    """

    path: str
    action: Action
    unchanged: bool
    format: FormatName
    method: Method
    sides: Sides
    accepted: tuple[Finding, ...] = ()
    models: tuple[ModelRun, ...] = ()
    certainty: float | None = None  # of lazy edits, 0 to 1
    taken: Taken | None = None  # what a reviewer took of it
    smoothed: tuple[Finding, ...] = ()  # mistakes of the edit that were mended
    new_path: str | None = None

    @property
    def counts(self) -> tuple[int, int]:
        """Lines added and removed."""
        return (0, 0) if self.unchanged else count_changes(self.sides)

    @property
    def diff(self) -> str:
        """Give the unified diff."""
        return "" if self.unchanged else render_diff(self.sides)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did. `written` is false where it was dry or nothing had to change."""

    changes: tuple[Change, ...]
    written: bool
    warnings: tuple[str, ...] = ()
    backups: tuple[Path, ...] = ()
    rejected: tuple[Question, ...] = ()  # what was refused of an edit that was put in in part

    @property
    def unchanged(self) -> bool:
        """Whether all of the edit is in place already."""
        return all(change.unchanged for change in self.changes)

    @property
    def format(self) -> str:
        """The format of the edit; ``mixed`` where its parts have several."""
        formats = {change.format for change in self.changes}
        return formats.pop() if len(formats) == 1 else "mixed"

    @property
    def certainty(self) -> float | None:
        """The lowest of those of lazy edits, 0 to 1; None without one."""
        return min((one.certainty for one in self.changes if one.certainty is not None), default=None)

    @property
    def models(self) -> tuple[ModelRun, ...]:
        """What apply models did."""
        return tuple(run for change in self.changes for run in change.models)

    @property
    def method(self) -> Method:
        """The least strict tier that any file took."""
        return max((change.method for change in self.changes), key=METHOD_ORDER.index, default="exact")


# --- one file -------------------------------------------------------------------------------------


def change_file(path: str, edit: bytes, job: Job) -> Outcome:
    """Put an edit into the file at `path`, or make that file where the edit says so."""
    target = Path(path)
    to_file = job.output is None or os.path.realpath(job.output) == os.path.realpath(target)
    written_to = target if job.output is None or to_file else job.output
    warnings: tuple[str, ...] = ()
    with ExitStack() as stack:
        held: Held | None = None
        if job.write:
            warnings = files.recover(target)
            held = lock_now(stack, {target, written_to}, job)
        state = files.read(target) if os.path.lexists(target) else None
        check_git([target], [written_to], job)
        change, merged = change_one(path, state, edit, job.options)
        warnings = (*warnings, *merged.notes, *notes_on([merged.spare]))
        wanted = not change.unchanged or not to_file
        if not job.write or not wanted:
            if state is not None and not change.unchanged:
                encode(merged.text)  # a dry run tells as well that the encoding can't hold it
            return Outcome((change,), written=False, warnings=warnings)
        held = held or stack.enter_context(files.locked(*{target, written_to}))
        data = encode(merged.text)
        mode = asked_mode(change)
        old = (replacing(state, data, mode),) if to_file and state else files.replaced_at(written_to, data)
        replaced = made_by(change, old)
        if job.announce is not None:
            job.announce(Outcome((change,), True, warnings), replaced)
        with files.remembered(replaced, job.keep) as not_kept:
            if not to_file:
                done = files.save(written_to, data, held)
            elif state is None:
                done = files.create(Path(os.path.realpath(target)), data, held, mode=mode)
            else:
                done = files.write(state, data, held, mode=mode, backup=job.backup)
    stage_written([written_to], job)
    return Outcome((change,), True, (*warnings, *not_kept, *done.warnings), done.backups)


def lock_now(stack: ExitStack, places: Iterable[Path], job: Job) -> Held | None:
    """Lock files before they are read; not where somebody reviews the change, which may take long.

    Then they are locked before they are written, which fails if they were changed meanwhile.
    """
    return stack.enter_context(files.locked(*places)) if job.options.review is None else None


def replaced_by(operation: Operation, change: Change) -> tuple[files.Replaced, ...]:
    """What an operation replaces, and how that was made: a move is a file removed and another made."""
    return made_by(change, _replaced_by(operation))


def made_by(change: Change, replaced: tuple[files.Replaced, ...]) -> tuple[files.Replaced, ...]:
    """Say how a write was made, for the log."""
    return tuple(replace(each, format=change.format, method=change.method) for each in replaced)


def _replaced_by(operation: Operation) -> tuple[files.Replaced, ...]:
    if isinstance(operation, files.Write):
        return (replacing(operation.state, operation.data, operation.mode),)
    if isinstance(operation, files.Create):
        return (files.Replaced(operation.path, None, None, operation.data),)
    if isinstance(operation, files.Delete):
        return (replacing(operation.state, None, None),)
    if isinstance(operation, files.Move):
        new_mode = files.git_mode(operation.state.mode, operation.mode)
        made = files.Replaced(operation.path, None, None, operation.data, new_mode)
        return (replacing(operation.state, None, None), made)
    return ()


def change_one(
    path: str, state: FileState | None, data: bytes, options: Options, *, place: Path | None = None
) -> tuple[Change, Merged]:
    """Merge an edit that is for one file into what is there; nothing is written. See `make_change`."""
    text = read_bytes(data, state.source if state else None)
    try:
        edit = read_edit(text, path=path, original=state.source if state else None, options=options)
    except EditError as error:
        if state is not None:
            raise
        missing = f"{path} does not exist, and {error.message}"  # that is the trouble, whatever else is
        raise FileTrouble(missing, reason="missing", hint=error.hint) from None
    if state is not None:
        _refuse_more_than_text(path, edit.files[0])
    return make_change(path, state, edit, edit.files[0], options, place=place)


def _refuse_more_than_text(path: str, file_edit: FileEdit) -> None:
    """Refuse what a change of one file's text cannot carry out."""
    moved = file_edit.new_path is not None and Path(file_edit.new_path).name != Path(path).name
    if file_edit.action == "delete" or moved:
        what = "deletes the file" if file_edit.action == "delete" else f"moves it to {file_edit.new_path}"
        raise Refused(
            f"the edit {what}: only fastapply patch can do that",
            reason="needs_patch",
            hint="run fastapply patch with the same edit, in the folder that its file names start from",
        )


# --- what one and several files share --------------------------------------------------------------


def make_change(
    path: str,
    state: FileState | None,
    edit: Edit,
    file_edit: FileEdit,
    options: Options,
    *,
    place: Path | None = None,
) -> tuple[Change, Merged]:
    """Merge one file's part of an edit into what is there; a file that is not there will be at `place`.

    Without `place` it will be at `path`, from the current directory.
    """
    before = state.source if state else None
    merged = merge_edit(before, edit, file_edit, path=path, options=options)
    left_out = merged.taken is not None and not merged.taken.header
    if left_out:
        file_edit = replace(file_edit, action="update", new_path=None, new_mode=None)
    after: SourceText | None = merged.text
    old_mode = state.mode if state else None
    new_mode = file_edit.new_mode if file_edit.new_mode is not None else old_mode
    if state is None and left_out:
        after = None
    elif state is None:
        after = _with_own_endings(edit, file_edit, merged.text)
        merged = replace(merged, text=after)
    elif file_edit.action == "delete":
        after = None
    moded = state is not None and bool(new_mode and new_mode & 0o100) != bool(state.mode & 0o100)
    gone = state is None or after is None
    # The file itself and no link to it, which `git apply` would not follow
    real = state.path if state else place or Path(os.path.realpath(path))
    sides = Sides(name_in_diff(real), before, after, None, old_mode, new_mode if moded or gone else old_mode)
    unchanged = merged.unchanged and not gone and not moded
    unchanged = unchanged or (state is None and after is None)
    action: Action = "create" if state is None else file_edit.action
    change = Change(
        path,
        action,
        unchanged,
        merged.format,
        merged.method,
        sides,
        merged.accepted,
        merged.models,
        merged.certainty,
        merged.taken,
        merged.smoothed,
    )
    return change, merged


def read_bytes(data: bytes, original: SourceText | None) -> str:
    """Decode an edit; one that is no UTF-8 is only read for a Latin-1 file.

    Raises `EditError` (``binary``, ``bad_encoding``): an edit cut within a character must not be
    taken for one in another encoding.
    """
    try:
        source = decode(data)
    except FileTrouble:
        raise EditError("the edit is binary (contains a NUL byte)", reason="binary") from None
    if source.encoding == "latin-1" and (original is None or original.encoding != "latin-1"):
        raise EditError(
            "the edit is not valid UTF-8",
            reason="bad_encoding",
            hint="send the edit as UTF-8",
        )
    return source.text


def _with_own_endings(edit: Edit, file_edit: FileEdit, text: SourceText) -> SourceText:
    """Give a new file the line ends that its lines have in the edit."""
    if "\r\n" not in edit.text or len(file_edit.parts) != 1 or not text.lines:
        return text
    first = getattr(file_edit.parts[0], "edit_line", 1) - 1
    raw = edit.text.split("\n")[first : first + len(text.lines)]
    same = len(raw) == len(text.lines) and all(
        row.removesuffix("\r").endswith(line) for row, line in zip(raw, text.lines, strict=True)
    )
    if not same:
        return text
    ends = ["\r\n" if row.endswith("\r") else "\n" for row in raw]
    return replace(text, endings=(*ends[:-1], ends[-1] if text.endings[-1] else ""))


def replacing(state: FileState, new: bytes | None, asked_mode: int | None) -> files.Replaced:
    """Say what a file is, and what a write makes of it; `new` is None where it is removed."""
    new_mode = None if new is None else files.git_mode(state.mode, asked_mode)
    return files.Replaced(state.path, state.data, state.mode, new, new_mode)


def asked_mode(change: Change) -> int | None:
    """The mode that an edit sets, where it is another one."""
    return change.sides.new_mode if change.sides.new_mode != change.sides.old_mode else None


def check_git(read: Sequence[Path], written: Sequence[Path], job: Job) -> None:
    """Ask git what it has to say before anything is written."""
    if job.require_clean:
        from fastapply.workspace import git

        for path in read:
            git.require_clean(path)
    if job.stage and job.write:
        from fastapply.workspace import git

        git.require_stageable(written)


def stage_written(written: Sequence[Path], job: Job) -> None:
    """`git add` what was written, where the job says so. Raises `FileTrouble` (``not_staged``)."""
    if not job.stage:
        return
    from fastapply.workspace import git

    try:
        git.stage(written)
    except FastapplyError as error:
        raise FileTrouble(
            f"the change is written but not staged: {error.message}", reason="not_staged", hint=error.hint
        ) from None
