"""`fastapply redo [FILE|ID]`: do a write again that was undone."""

from typing import Annotated

import typer

from fastapply.cli.undo import Words, turn_back
from fastapply.undo import redo_last

_WORDS = Words("redo", "redone", "created", "removed")


def command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="[FILE|ID]",
            help="Redo what was undone last of this file or below this folder, or the write of this ID.",
        ),
    ] = ".",
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show the diff, write nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing where all went well.")] = False,
) -> int:
    """Do a write again that was undone, or refuse and say why.

    Without FILE or ID it is the one that was undone last in the present folder or below. Other changes
    that were made since stay where they do not meet its lines; else it is refused.
    """
    return turn_back(redo_last, file, _WORDS, dry_run=dry_run, json=json, quiet=quiet)
