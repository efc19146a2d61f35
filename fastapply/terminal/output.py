"""Writing to the two streams: results to standard output, all else to standard error."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fastapply.terminal.colours import is_terminal, painted, wants_colour

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import TextIO

_pager = {"chosen": "auto"}  # of this run; `main` begins with this


def choose_pager(*, wanted: bool) -> None:
    """Have a pager show long texts in this run, where there is a terminal, or not."""
    _pager["chosen"] = "auto" if wanted else "never"


def wants_pager() -> bool:
    """Whether a long text on standard output goes through a pager."""
    return _pager["chosen"] == "auto" and is_terminal(sys.stdout)


def write_out(data: bytes) -> None:
    """Write bytes to standard output, as they are; a reader that went away is no error."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Python flushes once more at exit, and would complain then
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        from fastapply.errors import FileTrouble

        raise FileTrouble(
            f"cannot write to standard output: {error.strerror or error}", reason="write_failed"
        ) from None


def say(text: str) -> None:
    """Write a line of the result to standard output."""
    write_out(f"{text}\n".encode("utf-8", "surrogateescape"))


def show_json(value: dict[str, Any]) -> None:
    """Write an object to standard output, in one line of ASCII."""
    import json

    say(json.dumps(value))


def say_row(text: str, *, hang: int, style: str) -> None:
    """Write a row of a list to standard output, its first word in a style.

    On a terminal it is broken between words, and its further rows begin `hang` columns in.
    """
    shown = text
    if is_terminal(sys.stdout):
        from fastapply.terminal.layout import wrap

        shown = wrap(text, _width(sys.stdout), hang)
    if wants_colour(sys.stdout) and shown.split():
        first = shown.split()[0]
        shown = shown.replace(first, painted(first, style), 1)
    say(shown)


def tell(text: str) -> None:
    """Write a line for the user to standard error; a terminal gets it coloured, and broken between words."""
    shown = printable(text)
    terminal, colour = is_terminal(sys.stderr), wants_colour(sys.stderr)
    if terminal or colour:
        from fastapply.terminal.layout import lay_out

        shown = lay_out(shown, _width(sys.stderr) if terminal else None, colour=colour)
    try:
        sys.stderr.write(shown + "\n")
        sys.stderr.flush()
    except OSError:  # nobody listens
        return
    except UnicodeEncodeError:
        sys.stderr.write(shown.encode("ascii", "backslashreplace").decode("ascii") + "\n")


@contextmanager
def telling_late(text: str, seconds: float = 3.0) -> Iterator[None]:
    """Tell a terminal, on standard error, what a step does that takes longer than some seconds."""
    if not is_terminal(sys.stderr):
        yield
        return
    from threading import Timer

    timer = Timer(seconds, tell, (text,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _width(stream: TextIO) -> int | None:
    """The columns of the terminal behind a stream; None where it does not say."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def printable(text: str) -> str:
    """Text without control characters: lines of a file must not steer a terminal."""
    if text.isprintable():
        return text
    shown = "".join(
        character
        if character in "\n\t" or not (ord(character) < 32 or 127 <= ord(character) < 160)
        else f"\\x{ord(character):02x}"
        for character in text
    )
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")


def columns(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> Iterator[str]:
    """Rows as lines whose columns stand below each other, some of them at the right.

    The last column is as long as it is.
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        yield printable("  ".join([*cells, row[-1]]).rstrip())
