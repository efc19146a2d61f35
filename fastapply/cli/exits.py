"""From exceptions to exit statuses: the only place that does so; and the end that Ctrl-C asks for."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fastapply import __version__
from fastapply.errors import FastapplyError, UsageError
from fastapply.terminal.output import show_json, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

INTERRUPTED = 130
BUG = 70


def guarded(run: Callable[[], int], arguments: Sequence[str]) -> int:
    """Run a command and give its exit status, whatever happens in it."""
    try:
        return run()
    except KeyboardInterrupt:
        tell("fastapply: interrupted")
        return INTERRUPTED
    except FastapplyError as error:
        return _reported(error, arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except Exception as error:  # noqa: BLE001 - the last resort
        if callable(getattr(error, "show", None)):  # Typer's own errors, from wherever it takes Click
            return _usage(error, arguments)
        if type(error).__name__ == "Abort":
            return INTERRUPTED
        message, hint = f"{type(error).__name__}: {error}", f"please report it with {_log(error, arguments)}"
        return _reported(FastapplyError(f"internal error: {message}", hint=hint), arguments)


def report(
    error: FastapplyError, command: str, *, json: bool, path: str | None = None, seconds: float = 0.0
) -> int:
    """Show an error that no command has shown, as text or JSON. Returns the exit status."""
    from fastapply.jobs.objects import error_object
    from fastapply.jobs.texts import error_text

    if json:
        show_json(error_object(error, command, path=path, seconds=seconds))
    else:
        tell(error_text(error))
    return error.exit_status


def _reported(error: FastapplyError, arguments: Sequence[str]) -> int:
    return report(error, arguments[0] if arguments else "", json="--json" in arguments)


def _usage(error: Exception, arguments: Sequence[str]) -> int:
    if "--json" in arguments:
        format_message = getattr(error, "format_message", None)
        message = format_message() if format_message else str(error)
        return _reported(UsageError(message or "usage"), arguments)
    show: Callable[..., None] = error.show  # type: ignore[attr-defined]
    if type(error).__name__ == "NoArgsIsHelpError":  # the help screen, which is laid out already
        show()
        return UsageError.exit_status
    text = io.StringIO()
    show(file=text)
    tell(text.getvalue().rstrip("\n"))
    return UsageError.exit_status


def _log(error: Exception, arguments: Sequence[str]) -> str:
    """Write what helps to find the bug to a log file, and name that."""
    import platform
    import time
    import traceback

    from fastapply.folders import state_folder

    lines = [
        f"fastapply {__version__}, Python {platform.python_version()}, {platform.platform()}\n",
        f"arguments: {list(arguments)!r}\n\n",
        *traceback.format_exception(error),
    ]
    try:
        folder = state_folder() / "logs"
        folder.mkdir(mode=0o700, exist_ok=True)
        log = folder / f"bug-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 1_000_000:06d}.log"
        log.write_text("".join(lines), encoding="utf-8", errors="backslashreplace")
    except (OSError, FastapplyError):
        sys.stderr.writelines(lines)
        return "the lines above"
    return f"the log {log}"


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
