"""Long texts on a terminal, through the pager that git would start.

Which one: ``GIT_PAGER``, the configuration's ``pager.diff`` and ``core.pager``, ``PAGER``, ``less``, in this
order, as ``git diff`` does it. A pager that only shows text (less, more, most) gets what we would have
shown, and only where that is longer than the screen. Any other (delta, diff-so-fancy) makes its own of a
diff: it gets every diff, in the colours that git would have sent.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from fastapply.terminal.colours import painted, wants_colour
from fastapply.terminal.output import printable, tell, wants_pager, write_out
from fastapply.text.diff import count_changes, encode_diff, render_diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.text.diff import Sides

_NOT_FOUND = 127
_ONLY_SHOW = frozenset({"less", "more", "most", "pager", "pg", "lv"})  # Debian has a `pager`
_LIKE_GIT = {"LESS": "FRX", "LV": "-c"}  # what git sets where the user has not


def show_diffs(changes: Sequence[Sides]) -> None:
    """Write diffs to standard output: for eyes on a terminal, for `git apply` elsewhere."""
    colour = wants_colour(sys.stdout)
    pager = diff_pager() if wants_pager() else None
    if pager is not None and not only_shows(pager):
        shown = "".join(_as_git(render_diff(sides), colour=colour) for sides in changes)
        if not shown or _page(shown, pager):
            return
        pager = None
    if colour:
        from fastapply.terminal.view import render_changes

        show_text(render_changes(changes), pager)
    elif wants_pager():
        show_text("".join(printable(render_diff(sides)) for sides in changes), pager)
    else:
        for sides in changes:
            text, diff = sides.after or sides.before, render_diff(sides)
            if diff and not reads_back(diff, *count_changes(sides)):
                tell(f"warning: the diff of {sides.path} is malformed; do not apply it; please report it")
            write_out(encode_diff(diff, text.encoding if text else "utf-8"))


def reads_back(diff: str, added: int, removed: int) -> bool:
    """Whether a diff is well-formed and adds and removes so many lines, by a reader that is not ours."""
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    try:
        read = PatchSet(diff)
    except UnidiffParseError:
        return False
    return (read.added, read.removed) == (added, removed)


def show_text(text: str, pager: str | None) -> None:
    """Write a text to standard output: through the pager where it is longer than the terminal."""
    long = wants_pager() and text.count("\n") >= shutil.get_terminal_size().lines
    if long and pager is not None and _page(text, pager):
        return
    write_out(text.encode("utf-8", "surrogateescape"))


def diff_pager() -> str | None:
    """The command line of the pager for diffs; None where the user wants none."""
    if "GIT_PAGER" in os.environ:
        return _unless_none(os.environ["GIT_PAGER"])
    own = _ask_git("config", "--get", "pager.diff")
    if own.lower() in {"false", "no", "off", "0"}:
        return None
    if own and own.lower() not in {"true", "yes", "on", "1"}:
        return own
    named = _ask_git("var", "GIT_PAGER")
    return _unless_none(named) if named else text_pager()


def text_pager() -> str | None:
    """The command line of the pager for other texts; None where the user wants none."""
    return _unless_none(os.environ.get("PAGER", "less"))


def only_shows(pager: str) -> bool:
    """Whether a pager leaves the text as it is: less and its like."""
    name = os.path.basename(_program(pager))  # noqa: PTH119 - a word, not a path
    return name.removesuffix(".exe") in _ONLY_SHOW


def _program(pager: str) -> str:
    """The program of a command line, behind variables that it sets; "" where there is none."""
    try:
        return next((word for word in shlex.split(pager) if "=" not in word), "")
    except ValueError:
        return ""


def _unless_none(pager: str) -> str | None:
    """Git takes an empty pager, and `cat`, for none."""
    return None if pager.strip() in {"", "cat"} else pager


def _ask_git(*question: str) -> str:
    """What git answers in the current directory; "" where it does not, or is not there."""
    try:
        done = subprocess.run(["git", *question], capture_output=True, text=True, check=False, timeout=5)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _page(text: str, pager: str) -> bool:
    """Show a text in a pager, and wait until that ends; False where there is no such program."""
    if os.name == "nt" and shutil.which(_program(pager)) is None:  # its shell does not say so by a status
        return False
    environment = {**_LIKE_GIT, **os.environ}
    sys.stdout.flush()
    try:
        process = subprocess.Popen(  # noqa: S602 - git runs it through the shell as well
            pager, shell=True, stdin=subprocess.PIPE, env=environment
        )
    except OSError:
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's, as under git
    try:
        process.communicate(text.encode("utf-8", "surrogateescape"))
    except OSError:  # it ended before it had read all
        process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return process.returncode != _NOT_FOUND


def _as_git(diff: str, *, colour: bool) -> str:
    """A diff in the colours that git gives it."""
    if not colour:
        return diff
    rows = []
    in_hunk = False
    for row in diff.split("\n"):
        in_hunk = row.startswith("@@ ") or (in_hunk and not row.startswith("diff --git "))
        style = "title" if not in_hunk else {"@": "hint", "+": "added", "-": "removed"}.get(row[:1])
        rows.append(painted(row, style) if style else row)
    return "\n".join(rows)
