"""The plain call, read without Typer: ``fastapply apply FILE [EDIT|-]`` with switches and ``-i TEXT``.

To import Typer takes longer than to merge an edit, and this is the call that agents make all day. Every
other call, and every one that is not surely of this shape, is left to Typer, which reads this one alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.cli.request import Request
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

SWITCHES = {
    "--dry-run": "dry_run",
    "-n": "dry_run",
    "--check": "check",
    "--json": "json",
    "--stage": "stage",
    "--require-clean": "require_clean",
    "--backup": "backup",
    "--create": "create",
    "--quiet": "quiet",
    "-q": "quiet",
    "--verbose": "verbose",
    "-v": "verbose",
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
    on: set[str] = set()
    instructions = ""
    rest = iter(arguments[1:])
    for argument in rest:
        if argument in SWITCHES:
            on.add(SWITCHES[argument])
        elif argument in _INSTRUCTIONS:
            text = next(rest, None)
            if text is None or text.startswith("-"):
                return None
            instructions = text
        elif argument.startswith("-") and argument != "-":
            return None
        else:
            names.append(argument)
    if not 1 <= len(names) <= 2:
        return None
    return Plain(names[0], names[1] if len(names) == 2 else None, _request(on, instructions))


def _request(on: set[str], instructions: str) -> Request:
    return Request(
        dry_run="dry_run" in on,
        check="check" in on,
        json="json" in on,
        instructions=instructions,
        format_name=None,
        engine="auto",
        stage="stage" in on,
        require_clean="require_clean" in on,
        backup="backup" in on,
        allow=(),
        quiet="quiet" in on,
        verbose="verbose" in on,
        create="create" in on,
    )
