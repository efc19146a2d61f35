"""What the commands ask for in common: where the edit comes from, and how options are read."""

from __future__ import annotations

import sys
from pathlib import Path

from fastapply.errors import FileTrouble, UsageError
from fastapply.types import LineRange

STDIN = "-"


def read_edit_text(edit: str | None) -> str:
    """The text of an edit from a path, or from standard input where that is absent or '-'.

    Raises `UsageError` where standard input is a terminal: nobody is going to type an edit.
    """
    from fastapply.text import decode

    if edit is None or edit == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "no edit: standard input is a terminal",
                reason="no_edit",
                hint="name a file that holds the edit, or pipe it in: pbpaste | fastapply apply FILE",
            )
        data, name = sys.stdin.buffer.read(), "standard input"
    else:
        try:
            data, name = Path(edit).read_bytes(), edit
        except OSError as error:
            raise FileTrouble(
                f"cannot read the edit {edit}: {error.strerror or error}", reason="missing_edit"
            ) from None
        except ValueError:
            raise FileTrouble(f"{edit!r} cannot be the name of a file", reason="missing_edit") from None
    try:
        return decode(data).text
    except FileTrouble:
        raise FileTrouble(f"the edit in {name} is binary (it holds a NUL byte)", reason="binary_edit") from None


def parse_lines(text: str | None) -> LineRange | None:
    """``"41-47"`` or ``"41"`` as lines. Raises `UsageError`."""
    if text is None:
        return None
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise UsageError(f"--at {text}: not lines", hint="write a line or a range, such as 41 or 41-47")
    lines = LineRange(int(first), int(last or first))
    if not 1 <= lines.first <= lines.last:
        raise UsageError(f"--at {text}: no such lines", hint="lines count from 1, the first one first")
    return lines


def check_codes(codes: list[str]) -> frozenset[str]:
    """Codes of findings to accept. Raises `UsageError` for one that there is not."""
    if not codes:
        return frozenset()
    from fastapply.verify import CODES

    for code in codes:
        if code not in CODES:
            raise UsageError(f"--allow {code}: no such code", hint=f"one of {', '.join(CODES)}")
    return frozenset(codes)


def name_in_diff(path: Path) -> str:
    """A file's name as a diff made here should bear it: relative to this folder where it lies in it."""
    absolute = path.absolute()
    here = Path.cwd()
    named = absolute.relative_to(here) if absolute.is_relative_to(here) else absolute
    return named.as_posix().lstrip("/")
