"""An apply model in a worker process: finds one that runs, or starts it, and survives its death."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble, Refused
from fastapply.folders import cache_folder
from fastapply.models.engine import MODEL_SECONDS, Completion, Progress, Score, Scored
from fastapply.models.worker.messages import (
    Address,
    address_file,
    connect,
    folder,
    read_address,
    read_error,
    receive,
    send,
)
from fastapply.types import Usage
from fastapply.values import replace

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fastapply.models.engine import Stage, Task, Trust
    from fastapply.models.prompts import Prompt, StyleName

IDLE_SECONDS = 300.0
IDLE_VARIABLE = "FASTAPPLY_WORKER_IDLE"
"""Seconds that a worker waits for another request before it ends; 0: it ends with its first answer."""
_ILLEGAL = (-getattr(signal, "SIGILL", 4), 0xC000001D)  # as POSIX and Windows say it
_KILLED = -getattr(signal, "SIGKILL", 9)


class WorkerModel:
    """An `ApplyModel` that runs in a worker; nothing is started before the first task.

    `settings` are the fields of `llama.library.Settings`, but for `extra_buffers`, which the machine tells.
    `watch` is told how far an answer is, and None at its end. An answer that is not there after `timeout`
    seconds, loading and reading included, is refused (``model_timeout``); the worker gives it up as well.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        style: StyleName,
        context_length: int,
        settings: dict[str, Any],
        adapter: Path | None = None,
        trust: Trust | None = None,
        watch: Callable[[Progress | None], None] | None = None,
        idle_seconds: float | None = None,
        timeout: float = MODEL_SECONDS,
    ) -> None:
        self.timeout, self._deadline = timeout, float("inf")
        self.name, self.style, self.context_length = name, style, context_length
        self.trust = trust
        self._path, self._adapter, self._settings, self._watch = path, adapter, settings, watch
        self._idle = idle_seconds if idle_seconds is not None else idle_wanted()

    def complete(self, task: Task) -> Completion:
        """Write the answer to a task.

        Raises `ModelTrouble` (``crashed`` where the process died), `Refused` (``model_timeout``).
        """
        answer, load_seconds = self._request(
            {"op": "complete", "task": asdict(task)}, len(task.drafts.predicted), task.prompt.about
        )
        usage = replace(Usage(**answer["usage"]), load_seconds=load_seconds)
        return Completion(answer["text"], answer["finish"], usage)

    def score(self, prompt: Prompt, texts: Sequence[str], leads: Sequence[float]) -> Scored:
        """Score answers where they differ; see `ChoosingModel`. Raises what `complete` does."""
        request = {"op": "score", "prompt": asdict(prompt), "texts": list(texts), "leads": list(leads)}
        answer, load_seconds = self._request(request, 0, prompt.about)
        scores = tuple(Score(**one) for one in answer["scores"])
        return Scored(scores, replace(Usage(**answer["usage"]), load_seconds=load_seconds))

    def _request(self, request: dict[str, Any], expected: int, about: str) -> tuple[dict[str, Any], float]:
        """What a worker answers, and the seconds that one took to start, if that had to be."""
        began = time.perf_counter()
        self._deadline = time.monotonic() + self.timeout
        try:
            self._show(Progress(0, 0, expected, "loading", about))
            connection, cold = self._connect()
            load_seconds = time.perf_counter() - began if cold else 0.0
            with connection:
                self._show(Progress(0, 0, expected, "reading", about))
                answer = self._answer(connection, request, expected, about)
        finally:
            self._show(None)
            self._deadline = float("inf")
        if self._idle <= 0 and cold:
            self.stop()
        if "error" in answer:
            raise read_error(answer["error"])
        done: dict[str, Any] = answer["done"]
        return done, load_seconds

    def _answer(
        self, connection: socket.socket, request: dict[str, Any], expected: int, about: str
    ) -> dict[str, Any]:
        """What comes back, an error as well. Raises `Refused` (``model_timeout``), `ModelTrouble`."""
        stream = connection.makefile("rwb")
        try:
            connection.settimeout(self._left())
            send(stream, {"token": self._token, **request})
            while True:
                connection.settimeout(self._left())
                answer = receive(stream)
                if answer is None:
                    raise self._died(None)
                if "written" not in answer:
                    return answer
                stage: Stage = "writing" if answer["written"] else "reading"
                self._show(Progress(answer["written"], answer["tokens"], expected, stage, about))
        except TimeoutError:
            raise self._late() from None
        except OSError:
            raise self._died(None) from None

    def _show(self, progress: Progress | None) -> None:
        if self._watch is not None:
            self._watch(progress)

    def _left(self) -> float | None:
        """Seconds until the time is up; None where there is no limit. Raises `Refused` where it is."""
        if self._deadline == float("inf"):
            return None
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self._late()
        return left

    def _late(self) -> Refused:
        return Refused(
            f"{self.name} gave no answer in {self.timeout:g} seconds",
            reason="model_timeout",
            hint="raise --model-timeout",
        )

    def start(self) -> Address:
        """See that a worker runs, and give its address."""
        connection, _ = self._connect()
        connection.close()
        found = read_address(self._address)
        if found is None:
            raise self._died(None)
        return found

    def stop(self) -> bool:
        """End the worker; false where there is none."""
        found = read_address(self._address)
        return found is not None and ask(found, "stop") is not None

    # --- finding and starting ---------------------------------------------------------------------

    @property
    def _address(self) -> Path:
        return address_file(self._path, self._settings, adapter=self._adapter)

    def _connect(self) -> tuple[socket.socket, bool]:
        """A connection to a worker, and whether that had to be started."""
        connection = self._find()
        if connection is not None:
            return connection, False
        import filelock

        left = self._left()
        lock = filelock.FileLock(self._address.with_suffix(".lock"), timeout=-1 if left is None else left)
        try:
            with lock:
                connection = self._find()  # somebody else may have started one meanwhile
                if connection is not None:
                    return connection, False
                self._start()
        except filelock.Timeout:
            raise self._late() from None
        connection = self._find()
        if connection is None:
            raise self._died(None)
        return connection, True

    def _find(self) -> socket.socket | None:
        found = read_address(self._address)
        if found is None:
            return None
        connection = connect(found)
        if connection is None:
            self._address.unlink(missing_ok=True)
            return None
        self._token = found.token
        return connection

    def _start(self) -> None:
        """Start a worker; where it dies of an instruction, once more without what uses it."""
        from fastapply.models.worker.probe import remember_extra_buffers, uses_extra_buffers

        known = uses_extra_buffers()
        status = self._run(extra_buffers=known is not False)
        if status is None:
            if known is None:
                remember_extra_buffers(works=True)
            return
        if status in _ILLEGAL and known is not False:
            again = self._run(extra_buffers=False)
            if again is None:
                remember_extra_buffers(works=False)
                return
            status = again
        raise self._died(status)

    def _run(self, *, extra_buffers: bool) -> int | None:
        """Start the process and wait until it is ready; gives its exit status where it ended instead."""
        import subprocess
        import tempfile

        given = {
            "model": str(self._path),
            "adapter": str(self._adapter) if self._adapter else None,
            "settings": {**self._settings, "extra_buffers": extra_buffers},
            "cache": str(cache_folder()),
            "address": str(self._address),
            "idle_seconds": max(self._idle, 1.0),
        }
        left = self._left()  # nothing is started where the time is up
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "fastapply.models.worker", json.dumps(given)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                cwd=folder(),
                start_new_session=True,
            )
            assert process.stdout is not None  # noqa: S101 - for the type checker
            late = threading.Timer(left, process.kill) if left is not None else None
            if late is not None:
                late.start()
            with process.stdout as stream:
                line = stream.readline()
            if late is not None:
                late.cancel()
            if not line:
                status = process.wait()
                self._left()  # raises where it was too late
                return status
        process.returncode = 0  # it outlives this run on purpose: nobody has to wait for it
        answer = json.loads(line)
        if "error" in answer:
            raise read_error(answer["error"])
        return None

    def _died(self, status: int | None) -> ModelTrouble:
        how = "ended unexpectedly"
        hint = "run fastapply doctor to test the model; a smaller model or --ctx-size takes less memory"
        if status in _ILLEGAL:
            how = "crashed on an instruction that this CPU does not support"
            hint = "build llama-cpp-python on this machine: pip install --force-reinstall --no-binary :all: "
            hint += "llama-cpp-python"
        elif status == _KILLED:
            how = "was killed, probably out of memory"
        elif status is not None and status < 0:
            how = f"was killed by signal {-status}"
        return ModelTrouble(f"the process of {self.name} {how}", reason="crashed", hint=hint)


def idle_wanted() -> float:
    """Seconds that a worker is to wait, by the environment."""
    try:
        return float(os.environ[IDLE_VARIABLE])
    except (KeyError, ValueError):
        return IDLE_SECONDS


def ask(address: Address, op: str) -> dict[str, Any] | None:
    """Ask a worker one thing; None where it does not answer."""
    connection = connect(address)
    if connection is None:
        return None
    connection.settimeout(5.0)
    with connection:
        stream = connection.makefile("rwb")
        try:
            send(stream, {"token": address.token, "op": op})
            answer = receive(stream)
        except OSError:
            return None
    done = answer.get("done") if answer else None
    return done if isinstance(done, dict) else None
