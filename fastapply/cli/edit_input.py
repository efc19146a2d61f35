"""Where the edit comes from: a file, or standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from fastapply.errors import FileTrouble, UsageError


def read_input(edit: str | None, usage: str) -> bytes:
    """Read the edit from a path, or from standard input where that is absent or ``-``.

    Raises `UsageError` instead of waiting for somebody to type an edit, `FileTrouble` for a path that
    can't be read.
    """
    if edit is None or edit == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "no edit: standard input is a terminal",
                hint=f"name a file that holds the edit, or pipe it in: {usage} < edit.txt",
            )
        return sys.stdin.buffer.read()
    try:
        return Path(edit).read_bytes()
    except FileNotFoundError:
        raise FileTrouble(f"the edit {edit} does not exist", reason="missing") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise FileTrouble(f"cannot read the edit {edit}: {why}", reason="unreadable") from None
