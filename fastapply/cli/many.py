"""What commands share that work on many edits: how many at a time, and the end that Ctrl-C asks for."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def stopped_by_interrupt(stop: Callable[[], object]) -> Iterator[list[int]]:
    """Let what is worked on come to its end at the first Ctrl-C; the second one ends all at once.

    The list has the signals that came.
    """
    seen: list[int] = []

    def interrupt(number: int, _frame: object) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)
        stop()

    try:
        before = signal.signal(signal.SIGINT, interrupt)
    except ValueError:  # not the main thread: whoever called decides
        yield seen
        return
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


def cores() -> int:
    """The cores that this process may use; more than eight hardly ever have anything to do."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(usable or 1, 8)
