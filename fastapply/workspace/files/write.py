"""One file written all or nothing.

The new bytes go to a temporary file in the same folder, are flushed to the disk, and take the file's
name in one step, so that a kill at any moment leaves the old file or the new one. What a kill leaves
behind is a file named `.fastapply-*.tmp`; the next write in that folder removes it once it is an hour old.
Between the last check of the file and the step itself, another program's change can still be lost:
no portable system call closes that gap of some microseconds.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble
from fastapply.values import dataclass
from fastapply.workspace.files.read import check_unchanged, check_writable, trouble

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapply.workspace.files.lock import Held
    from fastapply.workspace.files.read import FileState

_PREFIX = ".fastapply-"
_SUFFIX = ".tmp"
_LEFT_BEHIND = 3600.0  # seconds; no write takes that long
_KEPT_ATTRIBUTES = ("user.", "system.posix_acl_access", "security.selinux")


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did beside writing: warnings for the user, and the backups it made."""

    warnings: tuple[str, ...] = ()
    backups: tuple[Path, ...] = ()


def write(
    state: FileState, data: bytes, held: Held, *, mode: int | None = None, backup: bool = False
) -> Written:
    """Replace a file that was read; nothing happens where neither bytes nor mode change.

    Its permission bits, owner and extended attributes stay. `mode` is what a git header asks for: it
    sets or takes the right to execute. With `backup`, the old bytes are kept as ``FILE~``, or as
    ``FILE.~2~``, ``FILE.~3~`` ... where that exists (the pattern ``*~`` ignores them all). A file of
    several names (hard links) is replaced under this one only, which is a warning.

    Raises `FileTrouble`: ``changed``, ``read_only``, ``disk_full``, ``write_failed``, ``not_a_file``
    (a mode that is none of a file).
    """
    new_mode = git_mode(state.mode, mode)
    if data == state.data and new_mode == state.mode:
        return Written()
    check_unchanged(state)
    require_held(held, state.path)
    check_writable(state)
    backups: tuple[Path, ...] = ()
    try:
        if backup:
            backups = (_back_up(state),)
        _replace(state.path, data, new_mode, state)
    except OSError as error:
        raise trouble(error, state.asked, "write") from None
    sweep(state.path.parent)
    return Written(link_warnings(state), backups)


def create(path: Path, data: bytes, held: Held, *, mode: int | None = None) -> Written:
    """Make a new file, in a folder that exists; a file that already exists is never replaced.

    Raises `FileTrouble`: ``exists``, ``missing`` (the folder), ``read_only``, ``disk_full``,
    ``write_failed``, ``not_a_file``.
    """
    require_held(held, path)
    try:
        staged = temporary(path.parent)
        try:
            stage(staged, data, git_mode(None, mode))
            place_new(staged, path)
        finally:
            staged.unlink(missing_ok=True)
        flush_folder(path.parent)
    except OSError as error:
        raise trouble(error, path, "create") from None
    sweep(path.parent)
    return Written()


def save(path: Path, data: bytes, held: Held) -> Written:
    """Put bytes at a path that the user named for output: replace what is there, or make it new.

    Raises `FileTrouble` as `write` and `create` do, and ``not_a_file``.
    """
    target = Path(os.path.realpath(path))
    require_held(held, target)
    try:
        old = target.stat()
    except OSError:
        return create(target, data, held)
    if stat.S_ISCHR(old.st_mode) or stat.S_ISFIFO(
        old.st_mode
    ):  # /dev/stdout, /dev/null, a process substitution
        try:
            target.write_bytes(data)
        except OSError as error:
            raise trouble(error, path, "write") from None
        return Written()
    if not stat.S_ISREG(old.st_mode):
        raise FileTrouble(f"{path} is not a file", reason="not_a_file")
    if not old.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise FileTrouble(f"{path} is read-only", reason="read_only")
    try:
        _replace(target, data, stat.S_IMODE(old.st_mode))
    except OSError as error:
        raise trouble(error, path, "write") from None
    return Written()


def _replace(path: Path, data: bytes, mode: int | None, state: FileState | None = None) -> None:
    """Put bytes in the place of a file in one step; it must still be what was read, where that is given."""
    staged = temporary(path.parent)
    try:
        stage(staged, data, mode, like=path)
        if state is not None:
            check_unchanged(state)
        staged.replace(path)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


# --- the steps, which a transaction takes one by one ----------------------------------------------


def require_held(held: Held, *paths: Path) -> None:
    """Raise `ValueError` for a caller that did not lock what it writes."""
    for path in paths:
        if not held.covers(path):
            msg = f"{path} is written without its lock"
            raise ValueError(msg)


def git_mode(old: int | None, asked: int | None) -> int | None:
    """Permission bits of a file with those `old` (None: a new file), once git's `asked` are applied.

    Git keeps one bit: 0o644 with 0o100755 asked gives 0o755. None leaves it to the user's umask.
    Raises `FileTrouble` (``not_a_file``) for the mode of a symbolic link or a submodule.
    """
    if asked is None:
        return old
    if stat.S_IFMT(asked) not in {0, stat.S_IFREG}:
        raise FileTrouble(f"mode {asked:o} is not one of a plain file", reason="not_a_file")
    if old is None:
        return 0o777 if asked & 0o100 else None
    return old | (old & 0o444) >> 2 if asked & 0o100 else old & ~0o111


def temporary(folder: Path) -> Path:
    """Name a temporary file that nobody else will name."""
    return folder / f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}"


def stage(
    staged: Path, data: bytes, mode: int | None, *, like: Path | None = None, exact: bool = False
) -> None:
    """Write a new file and flush it to the disk; with `like`, owner and attributes are taken from there.

    Without `like` or `exact`, `mode` is cut by the umask. A file that could not be written whole is removed.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    first_mode = 0o600 if like or exact else (0o666 if mode is None else mode)
    descriptor = os.open(staged, flags, first_mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if like and sys.platform != "win32":
                _take_owner_and_attributes(file.fileno(), like)
            if (like or exact) and mode is not None:
                os.chmod(staged, mode)  # noqa: PTH101 - Path.chmod is the same call behind more steps
            os.fsync(file.fileno())
    except BaseException:
        staged.unlink(missing_ok=True)
        raise


def place_new(staged: Path, path: Path) -> None:
    """Give a staged file its name, or raise `FileExistsError` where there is one already."""
    if sys.platform == "win32":
        staged.rename(path)
        return
    try:
        path.hardlink_to(staged)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: as near as it gets
        if os.path.lexists(path):
            raise FileExistsError(17, "File exists", str(path)) from None
        staged.replace(path)
    else:
        staged.unlink()


def flush_folder(folder: Path) -> None:
    """Make names in a folder last through a loss of power, where the system can."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def missing_folders(paths: Iterable[Path]) -> list[Path]:
    """The folders that files need and that are not there, parents first."""
    missing: set[Path] = set()
    for path in paths:
        folder = path.parent
        while folder not in missing and not folder.exists():
            missing.add(folder)
            folder = folder.parent
    return sorted(missing, key=lambda folder: len(folder.parts))


def free_backup_name(path: Path) -> Path:
    """The first of ``FILE~``, ``FILE.~2~``, ``FILE.~3~`` ... that is free."""
    name = path.with_name(f"{path.name}~")
    number = 2
    while os.path.lexists(name):
        name = path.with_name(f"{path.name}.~{number}~")
        number += 1
    return name


def link_warnings(state: FileState) -> tuple[str, ...]:
    """Say that a replaced file had other names."""
    if state.links < 2:
        return ()
    others = "another name" if state.links == 2 else f"{state.links - 1} other names"
    return (f"{state.asked} has {others} (hard links), which keep the old version",)


def sweep(folder: Path) -> None:
    """Remove the temporary files of runs that were killed more than an hour ago."""
    oldest = time.time() - _LEFT_BEHIND
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < oldest:
                        Path(entry.path).unlink()


def _back_up(state: FileState) -> Path:
    staged = temporary(state.path.parent)
    stage(staged, state.data, state.mode, like=state.path)
    try:
        while True:
            backup = free_backup_name(state.path)
            with suppress(FileExistsError):
                place_new(staged, backup)
                return backup
    finally:
        staged.unlink(missing_ok=True)


if sys.platform != "win32":

    def _take_owner_and_attributes(descriptor: int, like: Path) -> None:
        """Copy what the system lets this user copy; the rest stays what a new file gets."""
        old, new = like.stat(), os.fstat(descriptor)
        if old.st_uid != new.st_uid:
            with suppress(OSError):
                os.fchown(descriptor, old.st_uid, -1)
        if old.st_gid != new.st_gid:
            with suppress(OSError):
                os.fchown(descriptor, -1, old.st_gid)
        if sys.platform == "linux":
            with suppress(OSError):
                for name in os.listxattr(like):
                    if name.startswith(_KEPT_ATTRIBUTES):
                        with suppress(OSError):
                            os.setxattr(descriptor, name, os.getxattr(like, name))
