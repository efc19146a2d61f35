"""Teachers that are waited for while another thread merges.

A merge takes milliseconds of one processor and an answer seconds of a server, so threads merge in turn and
wait together.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply.models.engine import ApplyModel, Completion, Task
    from fastapply.models.prompts import StyleName


class Turn:
    """The one thread that merges: merging is pure, but no faster in several threads; waiting is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @contextmanager
    def given_up(self) -> Iterator[None]:
        """Let another thread merge meanwhile."""
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()


class Teacher:
    """An apply model whose answers are waited for while others merge."""

    def __init__(self, model: ApplyModel, turn: Turn) -> None:
        self._model, self._turn = model, turn
        self.name, self.context_length = model.name, model.context_length
        self.style: StyleName = model.style

    def complete(self, task: Task) -> Completion:
        """Write the answer to a prompt."""
        with self._turn.given_up():
            return self._model.complete(task)
