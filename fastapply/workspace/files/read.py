"""A file as it was read, and whether it still is what was read."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from fastapply import text
from fastapply.errors import FileTrouble
from fastapply.values import dataclass

_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


@dataclass(frozen=True, slots=True)
class FileState:
    """A file at the moment it was read.

    `asked` is the path that the caller named, made absolute; `path` the file behind it, all symbolic
    links followed. `mode` are the permission bits, `links` the number of names the file has.
    """

    asked: Path
    path: Path
    data: bytes
    source: text.SourceText
    mode: int
    links: int


def read(path: str | os.PathLike[str]) -> FileState:
    """Read a text file, whichever symbolic links lead to it.

    Raises `FileTrouble`: ``missing``, ``unreadable``, ``not_a_file`` (a folder, a device, a pipe) or
    ``binary``.
    """
    asked = Path(path).absolute()
    try:
        target = Path(os.path.realpath(asked, strict=True))
        status = target.stat()
        if not stat.S_ISREG(status.st_mode):
            raise FileTrouble(f"{path} is {_kind(status.st_mode)}, not a file", reason="not_a_file")
        data = target.read_bytes()
    except (OSError, ValueError) as error:
        raise _unreadable(path, asked, error) from None
    try:
        source = text.decode(data)
    except FileTrouble as trouble:
        raise FileTrouble(f"{path}: {trouble.message}", reason=trouble.reason, hint=trouble.hint) from None
    return FileState(asked, target, data, source, stat.S_IMODE(status.st_mode), status.st_nlink)


def check_unchanged(state: FileState) -> None:
    """Compare the file with what was read, byte for byte.

    Times and sizes are no proof: two writes can fall within one tick of a file system's clock.
    Raises `FileTrouble`: ``changed``, also when the file is gone or its link leads elsewhere.
    """
    try:
        target = Path(os.path.realpath(state.asked, strict=True))
        same = target == state.path and target.read_bytes() == state.data
    except OSError:
        same = False
    if not same:
        raise FileTrouble(
            f"{state.asked} changed after it was read",
            reason="changed",
            hint="run the same command again",
        )


def check_writable(state: FileState) -> None:
    """Raise `FileTrouble` (``read_only``) for a file that is write-protected.

    Replacing needs the folder's permission only, so without this check a file that its owner protected
    (also against the superuser, who passes every check of the system) would be replaced all the same.
    """
    if not state.mode & 0o222 or not os.access(state.path, os.W_OK):
        raise FileTrouble(
            f"{state.asked} is read-only", reason="read_only", hint="make it writable first (chmod u+w)"
        )


def trouble(error: OSError, path: str | os.PathLike[str], doing: str) -> FileTrouble:
    """Turn a failure of the system while writing into a `FileTrouble`; `doing` reads like "write"."""
    what = f"cannot {doing} {path}: {error.strerror or error}"
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return FileTrouble(what, reason="read_only", hint="check the permissions of the file and its folder")
    if isinstance(error, FileExistsError):
        return FileTrouble(what, reason="exists")
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return FileTrouble(what, reason="missing", hint="the folder must exist")
    if error.errno in _FULL:
        return FileTrouble(
            what, reason="disk_full", hint="nothing was changed; free some space and try again"
        )
    return FileTrouble(what, reason="write_failed")


def _unreadable(path: str | os.PathLike[str], asked: Path, error: OSError | ValueError) -> FileTrouble:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        if asked.is_symlink():
            return FileTrouble(f"{path} is a broken symbolic link", reason="missing")
        return FileTrouble(f"{path} does not exist", reason="missing")
    if isinstance(error, OSError):
        return FileTrouble(f"cannot read {path}: {error.strerror or error}", reason="unreadable")
    return FileTrouble(f"{os.fspath(path)!r} is not a valid file name", reason="missing")


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"
