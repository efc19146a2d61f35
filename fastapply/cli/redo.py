"""`fastapply redo [FILE|ID]`: do a write again that was undone."""

from fastapply.cli import options as opt
from fastapply.cli.undo import Place, Quiet, Words, turn_back
from fastapply.workspace.undo import redo_last

_WORDS = Words("redo", "redone", "created", "removed")


def command(
    file: Place = ".",
    dry_run: opt.DryRun = False,
    json: opt.AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Redo an undone write.

    By default, redo the last write undone in the current directory or below. Later changes to other lines
    are kept. If later changes conflict, the redo is refused.
    """
    return turn_back(redo_last, file, _WORDS, dry_run=dry_run, json=json, quiet=quiet)
