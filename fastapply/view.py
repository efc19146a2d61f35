"""The only place that imports Rich: a diff for people. Rich takes 60 ms and is loaded for a terminal only."""

from __future__ import annotations

import os
import sys


def write_diff(diff: str, *, encoding: str = "utf-8") -> None:
    """Put a diff on standard output: highlighted on a terminal, else as the bytes that git reads.

    `encoding` is the file's, so that a piped diff holds the file's own bytes.
    """
    if not diff:
        return
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        _highlighted(diff)
        return
    write_bytes(diff.encode("utf-8" if encoding.startswith("utf-16") else encoding, "surrogateescape"))


def write_bytes(data: bytes) -> None:
    """Put bytes on standard output as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _highlighted(diff: str) -> None:
    from rich.console import Console
    from rich.syntax import Syntax

    theme = "ansi_dark"
    Console().print(Syntax(diff.replace("\r\n", "\n"), "diff", theme=theme, background_color="default"))
