"""`fastapply redo [FILE|ID]`: do a write again that was undone."""

from typing import Annotated

import typer

from fastapply.cli.undo import Words, turn_back
from fastapply.workspace.undo import redo_last

_WORDS = Words("redo", "redone", "created", "removed")


def command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="[FILE|ID]",
            help="A file, a folder, or an ID from fastapply log.",
        ),
    ] = ".",
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show the diff without writing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing on success.")] = False,
) -> int:
    """Redo an undone write.

    By default, redo the last write undone in the current directory or below. Later changes to other lines
    are kept. If later changes conflict, the redo is refused.
    """
    return turn_back(redo_last, file, _WORDS, dry_run=dry_run, json=json, quiet=quiet)
