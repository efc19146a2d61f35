"""The plain call, read without Typer: ``fastapply apply FILE [EDIT|-]`` with switches and ``-i TEXT``.

To import Typer takes longer than to merge an edit, and this is the call that agents make all day. Every
other call, and every one that is not surely of this shape, is left to Typer, which reads this one alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapply.jobs.request import Request
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

SWITCHES = {
    "--dry-run": ("dry_run", True),
    "-n": ("dry_run", True),
    "--check": ("check", True),
    "--json": ("json", True),
    "--stage": ("stage", True),
    "--no-stage": ("stage", False),
    "--require-clean": ("require_clean", True),
    "--no-require-clean": ("require_clean", False),
    "--backup": ("backup", True),
    "--no-backup": ("backup", False),
    "--undo": ("undo", True),
    "--no-undo": ("undo", False),
    "--keep-log": ("keep_log", True),
    "--no-keep-log": ("keep_log", False),
    "--create": ("create", True),
    "--quiet": ("quiet", True),
    "-q": ("quiet", True),
    "--no-quiet": ("quiet", False),
    "--verbose": ("verbose", True),
    "-v": ("verbose", True),
}
_INSTRUCTIONS = ("--instructions", "-i")


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain call: its file, where its edit is, and its options."""

    file: str
    edit: str | None
    request: Request


def read_plain(arguments: Sequence[str]) -> Plain | None:
    """Read a plain call; None for one that Typer has to read.

    ``["apply", "a.py", "-q"]`` is the file ``a.py``, no edit, and a request that is quiet.
    """
    if not arguments or arguments[0] != "apply":
        return None
    names: list[str] = []
    said: dict[str, Any] = {}
    rest = iter(arguments[1:])
    for argument in rest:
        if argument in SWITCHES:
            name, value = SWITCHES[argument]
            said[name] = value
        elif argument in _INSTRUCTIONS:
            text = next(rest, None)
            if text is None or text.startswith("-"):
                return None
            said["instructions"] = text
        elif argument.startswith("-") and argument != "-":
            return None
        else:
            names.append(argument)
    if not 1 <= len(names) <= 2:
        return None
    return Plain(names[0], names[1] if len(names) == 2 else None, Request(**said))
