"""Several files changed all or none.

`commit` writes a journal of what it is going to do, stages every new file beside its place, keeps a link
to every old one, and only then renames. Where a step fails, all is put back before the error goes on;
where the process is killed, the next run does so (see `recover`). A reader of the files during the few
milliseconds of renaming may see some new and some old: file systems have no larger step.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble
from fastapply.values import dataclass, replace
from fastapply.workspace.files.read import check_unchanged, check_writable, trouble
from fastapply.workspace.files.recover import (
    Journal,
    Step,
    clean_up,
    declare_done,
    digest,
    kept_name,
    new_journal,
    undo,
)
from fastapply.workspace.files.root import inside
from fastapply.workspace.files.write import (
    Written,
    flush_folder,
    free_backup_name,
    git_mode,
    link_warnings,
    missing_folders,
    place_new,
    require_held,
    stage,
    temporary,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.workspace.files.lock import Held
    from fastapply.workspace.files.read import FileState


@dataclass(frozen=True, slots=True)
class Write:
    """Replace the bytes of a file, its right to execute (`mode`, as in a git header), or both."""

    state: FileState
    data: bytes
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Create:
    """Make a new file, and the folders it needs."""

    path: Path
    data: bytes
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a file; the folders stay."""

    state: FileState


@dataclass(frozen=True, slots=True)
class Move:
    """Give a file another name and, often, other bytes."""

    state: FileState
    path: Path
    data: bytes
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Restore:
    """Give a file back its bytes and exactly its permission bits; `state` is None where it is gone."""

    path: Path
    data: bytes
    mode: int
    state: FileState | None = None


Operation = Write | Create | Delete | Move | Restore


@dataclass(frozen=True, slots=True)
class _Planned:
    """A step, and what it takes to carry it out."""

    step: Step
    data: bytes = b""
    mode: int | None = None
    state: FileState | None = None  # what must still be there; its owner and attributes go to new bytes
    is_backup: bool = False
    exact: bool = False  # the mode is not cut by the umask


def commit(
    root: str | os.PathLike[str], operations: Sequence[Operation], held: Held, *, backup: bool = False
) -> Written:
    """Carry out all operations, or none.

    `held` must cover every path; the paths come from `inside`. A write that changes nothing is left out.
    With `backup`, each replaced, moved or deleted file is kept as `write` keeps it. A file that is only
    reached through a symbolic link can be written, but not deleted or moved by the link's name.

    Raises `FileTrouble`: ``changed``, ``exists``, ``outside_root``, ``conflict``, ``symlink``,
    ``read_only``, ``not_a_file``, ``missing``, ``disk_full``, ``write_failed``; after each of them all
    files are as before. ``not_restored``: they are not yet, and the next run will try again.
    """
    base = Path(os.path.realpath(root))
    planned = [each for operation in operations for each in _plan(operation, backup=backup)]
    if not planned:
        return Written()
    _check(base, planned, held)
    try:
        journal = new_journal(base, _folders_for(planned), (each.step for each in planned))
    except OSError as error:
        raise trouble(error, "the journal", "write") from None
    try:
        _carry_out(journal, planned)
        done = declare_done(journal)
    except BaseException as error:
        if journal.file.exists():  # else it counts, and the interruption came after that
            undo(journal)
        if isinstance(error, OSError):
            raise trouble(error, error.filename2 or error.filename or base, "write") from None
        raise
    with suppress(OSError):  # the next run cleans up
        clean_up(done)
    changed = [each for each in planned if each.state and each.step.kept]
    warnings = tuple(warning for each in changed if each.state for warning in link_warnings(each.state))
    return Written(warnings, tuple(Path(each.step.path) for each in planned if each.is_backup))


def _plan(operation: Operation, *, backup: bool) -> Iterator[_Planned]:
    """Break an operation into steps; new names come before old ones go."""
    if isinstance(operation, Restore):
        yield _restoration(operation)
        return
    if isinstance(operation, Create):
        yield _creation(operation.path, operation.data, git_mode(None, operation.mode))
        return
    state = operation.state
    if not isinstance(operation, Write) and state.asked.is_symlink():
        raise FileTrouble(
            f"{state.asked} is a symbolic link; edit its target instead",
            reason="symlink",
            hint=f"use {state.path}",
        )
    mode = state.mode if isinstance(operation, Delete) else git_mode(state.mode, operation.mode)
    if isinstance(operation, Write) and operation.data == state.data and mode == state.mode:
        return
    if backup:
        yield _creation(free_backup_name(state.path), state.data, state.mode, state, is_backup=True)
    if isinstance(operation, Move):
        yield _creation(operation.path, operation.data, mode, state)
    path, kept, old = str(state.path), str(kept_name(state.path)), digest(state.data)
    if isinstance(operation, Write):
        staged, new = str(temporary(state.path.parent)), digest(operation.data)
        yield _Planned(Step("replace", path, staged, kept, old, new), operation.data, mode, state)
    else:
        yield _Planned(Step("remove", path, kept=kept, old=old), state=state)


def _restoration(operation: Restore) -> _Planned:
    path, data, state = operation.path, operation.data, operation.state
    if state is None:
        return replace(_creation(path, data, operation.mode), exact=True)
    staged, kept = str(temporary(path.parent)), str(kept_name(path))
    step = Step("replace", str(path), staged, kept, digest(state.data), digest(data))
    return _Planned(step, data, operation.mode, state, exact=True)


def _creation(
    path: Path, data: bytes, mode: int | None, state: FileState | None = None, *, is_backup: bool = False
) -> _Planned:
    step = Step("create", str(path), str(temporary(path.parent)), new=digest(data))
    return _Planned(step, data, mode, state, is_backup)


def _check(base: Path, planned: Sequence[_Planned], held: Held) -> None:
    """Find everything that can be known to fail before anything is touched."""
    seen: set[str] = set()
    folders = _folders_for(planned)
    for each in planned:
        path = Path(each.step.path)
        inside(base, str(path))
        if each.state:
            check_unchanged(each.state)
        if not each.is_backup:
            require_held(held, path)
        name = os.path.normcase(os.path.realpath(path))
        if name in seen or path in folders:
            raise FileTrouble(f"{path} would be changed twice", reason="conflict")
        seen.add(name)
        if each.step.action == "create":
            if os.path.lexists(path):
                raise FileTrouble(f"{path} already exists", reason="exists")
            above = next(folder for folder in path.parents if os.path.lexists(folder))
            if not above.is_dir():
                raise FileTrouble(f"{above} exists but is not a folder", reason="exists")
        elif each.state:
            check_writable(each.state)


def _folders_for(planned: Sequence[_Planned]) -> list[Path]:
    """The folders that new files need, parents first."""
    return missing_folders(Path(each.step.path) for each in planned if each.step.action == "create")


def _carry_out(journal: Journal, planned: Sequence[_Planned]) -> None:
    for made in journal.folders:
        Path(made).mkdir(exist_ok=True)
    for each in planned:
        if each.step.staged:
            like = each.state.path if each.state else None
            stage(Path(each.step.staged), each.data, each.mode, like=like, exact=each.exact)
        if each.step.kept and each.state:
            _keep(each.state, Path(each.step.kept))
    folders = {Path(each.step.path).parent for each in planned}
    folders |= {Path(made).parent for made in journal.folders}
    for folder in folders:
        flush_folder(folder)
    for each in planned:
        path = Path(each.step.path)
        if each.step.action == "create":
            place_new(Path(each.step.staged), path)
            continue
        if each.state:
            check_unchanged(each.state)
        if each.step.action == "replace":
            Path(each.step.staged).replace(path)
        else:
            path.unlink()
    for folder in folders:
        flush_folder(folder)


def _keep(state: FileState, kept: Path) -> None:
    """Give the old file a second name, or copy it where the system does not let us."""
    try:
        kept.hardlink_to(state.path)
    except OSError:
        staged = temporary(kept.parent)
        try:
            stage(staged, state.data, state.mode, like=state.path)
            staged.replace(kept)
        finally:
            staged.unlink(missing_ok=True)
