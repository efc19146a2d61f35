"""Ways to apply a case: fastapply's own API in a process that may crash, or any other command.

Both give an `Attempt` and nothing else; what it is worth is told elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from fastapply.errors import UsageError

if TYPE_CHECKING:
    from fastapply.evaluate.cases import Case

Status = Literal["applied", "unchanged", "refused", "crashed", "timed_out", "not_applicable"]

_SAID = 400  # characters of what a tool says that are kept
_TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True, slots=True)
class Attempt:
    """What was done with a case: `merged` is the text that was written, None where there is none.

    `seconds` is from asking to the whole answer, first byte included. `model` is the object of ``--json``:
    name, tokens, rates.
    """

    status: Status
    merged: str | None = None
    seconds: float = 0.0
    reason: str = ""
    message: str = ""
    format: str = ""
    method: str = ""
    model: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """How fastapply itself is asked: the options of `fastapply apply` of the same names."""

    engine: Literal["auto", "deterministic", "model"] = "auto"
    model: str = ""
    endpoint: str = ""
    full_file: bool = False


class Engine(Protocol):
    """Applies one case at a time; may be slow, and never raises for a case."""

    def apply(self, case: Case) -> Attempt:
        """Do it."""

    def close(self) -> None:
        """End what was started."""


class OwnEngine:
    """fastapply's Python API in a process of its own, started anew when it dies or takes too long."""

    def __init__(self, asked: EngineChoice, limit: float) -> None:
        self._asked = asked
        self._limit = limit
        self._process: subprocess.Popen[str] | None = None

    def apply(self, case: Case) -> Attempt:
        """Send a case to the process and wait for its answer, for the time limit at most."""
        process = self._started()
        assert process.stdin is not None  # noqa: S101 - asked for
        assert process.stdout is not None  # noqa: S101 - asked for
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._limit, end)
        started = time.perf_counter()
        timer.start()
        try:
            process.stdin.write(json.dumps(asdict(case)) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except (OSError, ValueError):
            line = ""
        finally:
            timer.cancel()
        seconds = time.perf_counter() - started
        if line.endswith("\n"):
            return Attempt(**json.loads(line))
        self.close()
        if late.is_set():
            return Attempt("timed_out", None, seconds, "timed_out", f"no answer after {self._limit:g} s")
        return Attempt(
            "crashed", None, seconds, "crashed", f"the process exited with status {process.returncode}"
        )

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            command = [
                sys.executable,
                "-P",
                "-m",
                "fastapply.evaluate.worker",
                json.dumps(asdict(self._asked)),
            ]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
            )
        return self._process


class GivenEngine:
    """Takes the merge that a case holds already; a case without one counts as refused."""

    def apply(self, case: Case) -> Attempt:
        """Give it."""
        if case.merged is None:
            return Attempt("refused", reason="not_given")
        return Attempt("unchanged" if case.merged == case.original else "applied", case.merged)

    def close(self) -> None:
        """Nothing is left to end."""


class CommandEngine:
    """Any command with `{file}`, `{edit}` and `{instructions}` in it, run in a fresh folder.

    Exit status 0 means that the file is now the merge, and any other a refusal, as long as the file is
    untouched. Raises `UsageError` for a command that is none.
    """

    def __init__(self, command: str, limit: float) -> None:
        try:
            self._parts = shlex.split(command)
            for part in self._parts:
                part.format(file="", edit="", instructions="")
        except (ValueError, LookupError) as error:
            raise UsageError(f"--cmd {command!r} is not a command: {error}") from None
        if not any("{file}" in part for part in self._parts):
            raise UsageError("--cmd names no {file}", hint="as in --cmd 'other-tool {file} {edit}'")
        self._limit = limit

    def apply(self, case: Case) -> Attempt:
        """Run the command on a copy of the file, under its own name."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            file, edit = Path(folder, case.file_name), Path(folder, "edit.txt")
            if file == edit:
                edit = Path(folder, "the-edit.txt")
            original = case.original.encode("utf-8", "surrogateescape")
            file.write_bytes(original)
            edit.write_bytes(case.edit.encode("utf-8", "surrogateescape"))
            argv = [
                part.format(file=file.name, edit=edit.name, instructions=case.instructions)
                for part in self._parts
            ]
            started = time.perf_counter()
            try:
                done = _run(argv, folder, self._limit)
            except subprocess.TimeoutExpired:
                seconds = time.perf_counter() - started
                return Attempt("timed_out", None, seconds, "timed_out", f"no answer after {self._limit:g} s")
            except OSError as error:
                raise UsageError(f"cannot run {argv[0]}: {error.strerror or error}") from None
            seconds = time.perf_counter() - started
            data = file.read_bytes() if file.exists() else None
        said = (done.stderr + done.stdout).decode("utf-8", "replace")
        tail = said.strip()[-_SAID:]
        if done.returncode < 0 or _TRACEBACK in said or (done.returncode != 0 and data != original):
            return Attempt("crashed", None, seconds, "crashed", tail)
        if done.returncode != 0:
            return Attempt("refused", None, seconds, f"status {done.returncode}", tail)
        if data is None:
            return Attempt("crashed", None, seconds, "crashed", "the file is gone")
        merged = data.decode("utf-8", "surrogateescape")
        return Attempt("unchanged" if data == original else "applied", merged, seconds)

    def close(self) -> None:
        """Nothing is left to end."""


def _run(argv: list[str], folder: str, limit: float) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a session of its own: Ctrl-C is not for it, and a time limit ends all that it started.

    Raises `subprocess.TimeoutExpired` and `OSError`.
    """
    with subprocess.Popen(
        argv,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except BaseException:
            with contextlib.suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            raise
    return subprocess.CompletedProcess(argv, process.returncode, out, err)
