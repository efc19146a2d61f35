"""Writing to the two streams: results to standard output, all else to standard error.

Also whether in colours, which is asked here and nowhere else: `--color` decides, then ``NO_COLOR``, then
``FORCE_COLOR`` and ``CLICOLOR_FORCE``, then whether the stream is a terminal that shows them.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

_STYLES: Mapping[str, str] = {
    "title": "1",
    "name": "1",
    "good": "32",
    "bad": "1;31",
    "open": "33",
    "hint": "36",
    "added": "32",
    "removed": "31",
    "code": "2",
}
_chosen = {"color": "auto", "pager": "auto"}  # of this run; `main` begins with these


def choose_colour(choice: str) -> None:
    """Have colours ``auto``, ``always`` or ``never`` in this run."""
    _chosen["color"] = choice


def choose_pager(*, wanted: bool) -> None:
    """Have a pager show long texts in this run, where there is a terminal, or not."""
    _chosen["pager"] = "auto" if wanted else "never"


def wants_pager() -> bool:
    """Whether a long text on standard output goes through a pager."""
    return _chosen["pager"] == "auto" and is_terminal(sys.stdout)


def is_terminal(stream: object) -> bool:
    """Whether somebody looks at a stream as it is written."""
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())


def wants_colour(stream: object) -> bool:
    """Whether what is written to a stream is coloured.

    The variables are those of no-color.org, force-color.org and bixense.com/clicolors.
    """
    if _chosen["color"] != "auto":
        return _chosen["color"] == "always"
    if os.environ.get("NO_COLOR"):
        return False
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        if os.environ.get(name, "0") not in {"", "0"}:
            return True
    if "0" in {os.environ.get("FORCE_COLOR"), os.environ.get("CLICOLOR")}:
        return False
    return is_terminal(stream) and os.environ.get("TERM", "") != "dumb" and _reads_escapes()


def _reads_escapes() -> bool:
    """Whether terminals here know escape sequences: old consoles of Windows show them as text."""
    return os.name != "nt" or any(os.environ.get(name) for name in ("WT_SESSION", "ANSICON", "TERM"))


def painted(text: str, style: str, *, wanted: bool = True) -> str:
    """The text in a style of the table above, where colours are wanted."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if wanted and text else text


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


def say_row(text: str, *, hang: int, style: str) -> None:
    """Write a row of a list to standard output, its first word in a style.

    On a terminal it is broken between words, and its further rows begin `hang` columns in.
    """
    shown = text
    if is_terminal(sys.stdout):
        from fastapply.cli.layout import wrap

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
        from fastapply.cli.layout import lay_out

        shown = lay_out(shown, _width(sys.stderr) if terminal else None, colour=colour)
    try:
        sys.stderr.write(shown + "\n")
        sys.stderr.flush()
    except OSError:  # nobody listens
        return
    except UnicodeEncodeError:
        sys.stderr.write(shown.encode("ascii", "backslashreplace").decode("ascii") + "\n")


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
