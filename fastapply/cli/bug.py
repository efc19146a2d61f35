"""What happens on a bug of ours: a short message, and a file with everything that helps to find it."""

from __future__ import annotations

import sys
import time
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

EXIT_STATUS = 70


def report_bug(error: Exception, *, json: bool) -> int:
    """Write the log file and the message; returns the exit status."""
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    log = _write_log(error)
    where = f"; the details are in {log}" if log else ""
    sys.stderr.write(
        f"fastapply: bug: {what}\n  this is a bug of fastapply, no file was left half written{where}\n"
    )
    if json:
        from fastapply.cli.report import Report, as_json

        message = f"a bug of fastapply: {what}"
        sys.stdout.write(as_json(Report("error", reason="internal", message=message, hint=str(log or ""))))
    return EXIT_STATUS


def _write_log(error: Exception) -> Path | None:
    from fastapply import __version__
    from fastapply.errors import FastapplyError
    from fastapply.files import state_folder

    try:
        folder = state_folder() / "bugs"
        folder.mkdir(exist_ok=True)
        log = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{time.monotonic_ns() % 1_000_000:06d}.log"
        trace = "".join(traceback.format_exception(error))
        log.write_text(
            f"fastapply {__version__}, Python {sys.version}, {sys.platform}\n{trace}", encoding="utf-8"
        )
    except (OSError, FastapplyError):
        return None
    return log
