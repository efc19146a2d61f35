"""A lock against a second fastapply on the same files.

The lock files lie in the user's state folder, not beside the files, where they would litter a
repository. A file's lock is chosen by a checksum of its path, folded to 65,536 of them: the folder
cannot grow without bound, and two files that share a lock only wait for each other. The system drops
the lock of a killed process. The calls of the system are used directly: importing the library
`filelock` costs more start-up time than a merge does.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble
from fastapply.folders import no_locks, state_folder
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

WAIT = 10.0  # seconds
_PAUSE = 0.02

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@dataclass(frozen=True, slots=True)
class Held:
    """The proof that the locks of some files are held; writing asks for it."""

    names: frozenset[str]

    def covers(self, path: Path) -> bool:
        """Whether the lock of this file is among them."""
        return lock_name(path) in self.names


def lock_name(path: Path) -> str:
    """Name the lock of a file; the same for every way to write its path."""
    # Folded case: on some systems it does not tell files apart, on the others it costs some waiting
    real = resolved(path).casefold()
    return f"{zlib.crc32(real.encode(errors='surrogatepass')) & 0xFFFF:04x}"


def resolved(path: str | os.PathLike[str]) -> str:
    """Follow all links; a name that no file can have, such as one with a NUL, stays as it is."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return os.fspath(path)


@contextmanager
def hold(paths: Iterable[Path], wait: float = WAIT) -> Iterator[Held]:
    """Hold the locks of these files, waiting up to `wait` seconds in all.

    They are taken in one order, so that two runs with overlapping sets of files cannot wait for each
    other. A thread that holds some must not ask again for the same. Raises `FileTrouble` (``locked``).
    """
    wanted = {lock_name(path): path for path in paths}
    deadline = time.monotonic() + wait
    with ExitStack() as open_files:
        if wanted:
            folder = state_folder() / "locks"
            try:
                folder.mkdir(mode=0o700, exist_ok=True)
                for name in sorted(wanted):
                    lock_file = open_files.enter_context((folder / name).open("ab"))
                    wait_for(lock_file.fileno(), wanted[name], deadline)
            except OSError as error:
                raise no_locks(folder, error) from None
        yield Held(frozenset(wanted))


def wait_for(descriptor: int, path: Path, deadline: float) -> None:
    """Lock an open lock file, which stands for `path`. Raises `FileTrouble` (``locked``)."""
    while True:
        try:
            _take(descriptor)
        except (BlockingIOError, PermissionError):  # held by another; Windows says PermissionError
            if time.monotonic() >= deadline:
                raise FileTrouble(
                    f"{path} is being changed by another fastapply process",
                    reason="locked",
                    hint="try again when it has finished",
                ) from None
            time.sleep(_PAUSE)
        else:
            return
