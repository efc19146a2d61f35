r"""What is done of a batch, so that a run that was killed can go on where it was.

Lines of JSON, each appended in one write:

    {"fastapply_ledger": 1}
    {"key": "<sha256>-1", "path": "/r/a.py", "old": "<sha256>", "new": "<sha256>", "status": 0, "result": {}}
    {"key": "<sha256>-1", "status": 0, "result": {}}

The second says that a file is about to be written and what the result will be, the third that the line
is done. A key is the checksum of an input line, and the how-manieth of such lines it is. After a kill,
a line that was about to be written counts as done if its file is what it was to become. So an edit goes
in once, also one that would go in twice.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import FileTrouble, UsageError
from fastapply.folders import state_folder
from fastapply.values import dataclass
from fastapply.workspace.files.lock import WAIT, resolved, wait_for
from fastapply.workspace.files.recover import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.workspace.files import Replaced

_HEADER = {"fastapply_ledger": 1}
_PAUSE = 0.02  # seconds


@contextmanager
def alone_with(path: str, wait: float = WAIT) -> Iterator[None]:
    """Keep other runs from a ledger. Its lock is not one of those for files, which may be shared by two.

    Raises `FileTrouble` (``locked``).
    """
    folder = state_folder() / "locks"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        lock_file = (folder / f"ledger-{digest(os.fsencode(resolved(path)))[:16]}").open("ab")
    except OSError as error:
        raise FileTrouble(f"cannot lock the ledger {path}: {error.strerror or error}") from None
    with lock_file:
        wait_for(lock_file.fileno(), Path(path), time.monotonic() + wait)
        yield


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a line: its exit status, its object, and what the user should know besides."""

    status: int
    object: dict[str, Any]
    warnings: tuple[str, ...] = ()
    is_open: bool = False  # rules could not decide it, and a model may


class Ledger:
    """A ledger that is open; any number of processes may append to it."""

    def __init__(self, path: str) -> None:
        """Open a ledger, or begin one. Raises `FileTrouble`, `UsageError` for a file that is none."""
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            self._path = path
            self._lock(exclusive=False)
            data = Path(path).read_bytes()
        except OSError as error:
            raise FileTrouble(f"cannot use the ledger {path}: {error.strerror or error}") from None
        if not data:
            self._append(_HEADER)
        elif not data.startswith(json.dumps(_HEADER).encode()):
            raise UsageError(f"{path} is not a fastapply batch ledger")
        elif not data.endswith(b"\n"):  # a kill cut the last line off
            os.write(self._descriptor, b"\n")

    def close(self) -> None:
        """Close it; another run may go on from it then."""
        os.close(self._descriptor)

    def wait_for_others(self, wait: float = WAIT) -> None:
        """Wait until no process that outlived an earlier run has the ledger open: up to `wait` seconds.

        Raises `FileTrouble` (``locked``).
        """
        deadline = time.monotonic() + wait
        while not self._lock(exclusive=True):
            if time.monotonic() >= deadline:
                raise FileTrouble(
                    f"another run uses the ledger {self._path}",
                    reason="locked",
                    hint="try again when it has finished",
                )
            time.sleep(_PAUSE)
        self._lock(exclusive=False)

    def finished(self) -> dict[str, Done]:
        """Read what is done, by key. What failed for another reason than the edit's own is not."""
        done: dict[str, Done] = {}
        about: dict[str, dict[str, Any]] = {}
        for entry in self._entries():
            key = entry["key"]
            if "path" in entry:
                about[key] = entry
                continue
            about.pop(key, None)
            done[key] = Done(entry["status"], entry["result"])
        for key, entry in about.items():
            if _was_written(entry):
                done[key] = Done(0, entry["result"])
                self.finish(key, done[key])  # now: the next line for this file makes it another one
        return {key: one for key, one in done.items() if one.status in {0, 1}}

    def announce(self, key: str, replaced: Sequence[Replaced], done: Done) -> None:
        """Say that a file is about to be written, and what the result will be."""
        past = replaced[0]  # a line is for one file
        sides = {
            "path": os.fspath(past.path),
            "old": None if past.data is None else digest(past.data),
            "new": None if past.new is None else digest(past.new),
        }
        self._append({"key": key, **sides, "status": done.status, "result": done.object})

    def finish(self, key: str, done: Done) -> None:
        """Say that a line is done."""
        self._append({"key": key, "status": done.status, "result": done.object})

    def _append(self, entry: dict[str, Any]) -> None:
        data = json.dumps(entry).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise FileTrouble(
                f"cannot write to the ledger {self._path}: {error.strerror or error}", reason="write_failed"
            ) from None

    def _entries(self) -> Iterator[dict[str, Any]]:
        with Path(self._path).open("rb") as file:
            for row in file:
                with suppress(ValueError):  # cut off by a kill
                    entry = json.loads(row)
                    if "key" in entry:
                        yield entry

    def _lock(self, *, exclusive: bool) -> bool:
        """Hold the ledger for as long as it is open; whether that could be had alone, if asked for."""
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if exclusive else fcntl.LOCK_SH)
            except BlockingIOError:
                return False
        return True


def _was_written(entry: dict[str, Any]) -> bool:
    """Whether the file is what it was to become; a change of the mode alone can be made twice."""
    try:
        now = digest(Path(entry["path"]).read_bytes())
    except OSError:
        return False
    return bool(now == entry["new"] != entry["old"])
