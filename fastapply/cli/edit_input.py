"""Where the edit comes from: a file, standard input, or the clipboard."""

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
                hint=f"give a file with the edit or pipe it in: {usage} < edit.txt",
            )
        return sys.stdin.buffer.read()
    try:
        return Path(edit).read_bytes()
    except FileNotFoundError:
        raise FileTrouble(f"the edit {edit} does not exist", reason="missing") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise FileTrouble(f"cannot read the edit {edit}: {why}", reason="unreadable") from None


def read_clipboard(edit: str | None) -> bytes:
    """Read the edit from the clipboard; `edit` is the path that must not be given as well.

    Raises `UsageError` (``usage``, ``no_clipboard``) and `Refused` (``empty``).
    """
    if edit is not None:
        raise UsageError(f"--clipboard cannot be used with the edit file {edit}", hint="use one of them")
    import pyperclip

    try:
        text = pyperclip.paste()
    except pyperclip.PyperclipException as error:
        # without what it says of web pages
        why = str(error).strip().split("\n")[0].partition("For more information")[0].strip()
        raise UsageError(
            f"cannot read the clipboard: {why or 'no clipboard program found'}",
            reason="no_clipboard",
            hint="on Linux, install xclip or xsel (X11) or wl-clipboard (Wayland) and use a desktop session",
        ) from None
    if not text:
        raise UsageError(
            "the clipboard is empty or has no text",
            reason="no_clipboard",
            hint="copy the model's whole reply first",
        )
    return str(text).encode("utf-8", "surrogateescape")
