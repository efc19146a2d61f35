"""Writing to the two streams: results to standard output, all else to standard error."""

from __future__ import annotations

import os
import sys


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


def tell(text: str) -> None:
    """Write a line for the user to standard error."""
    try:
        sys.stderr.write(printable(text) + "\n")
        sys.stderr.flush()
    except OSError:  # nobody listens
        return
    except UnicodeEncodeError:
        sys.stderr.write(printable(text).encode("ascii", "backslashreplace").decode("ascii") + "\n")


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


def wants_colour(stream: object) -> bool:
    """Whether a stream is a terminal that shows colours, and the user has not asked for none."""
    isatty = getattr(stream, "isatty", None)
    return bool(
        isatty and isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"
    )
