"""`fastapply log [FILE]`: the writes that can be undone, newest first."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Any

import typer

from fastapply.cli.output import say, wants_colour
from fastapply.files.shown import shown_path
from fastapply.undo import PastWrite, list_past

_TITLES = ("time", "entry", "undo", "files")


def command(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="Only writes of this file, or of those below this folder.")
    ] = ".",
    everywhere: Annotated[bool, typer.Option("--all", help="The writes of all folders.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="Only the newest N.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> int:
    """List the writes that fastapply has kept, newest first: what "fastapply undo" would put back.

    Without FILE, those of the present folder and below. "can" means that each file of the write still is
    what was written, once the newer writes of it are undone; else the files that changed are named.
    """
    writes = list(islice(list_past(None if everywhere else file), limit))
    if json:
        from fastapply.cli.report import SCHEMA, show_json

        show_json({"schema": SCHEMA, "entries": [_object(write) for write in writes]})
    elif wants_colour(sys.stdout):
        from fastapply.view import show_table

        show_table(_TITLES, [_row(write) for write in writes])
    else:
        for write in writes:
            say("  ".join(_row(write)))
    return 0


def _time(write: PastWrite) -> datetime:
    return datetime.fromtimestamp(write.entry.nanoseconds // 10**9, UTC).astimezone()


def _row(write: PastWrite) -> Sequence[str]:
    files = ", ".join(f"{each['file']} ({each['action']})" for each in _files(write))
    can = "can" if not write.changed else f"changed since: {', '.join(map(shown_path, write.changed))}"
    return (f"{_time(write):%Y-%m-%d %H:%M:%S}", write.entry.name, can, files)


def _object(write: PastWrite) -> dict[str, Any]:
    return {
        "entry": write.entry.name,
        "time": _time(write).isoformat(),
        "undoable": not write.changed,
        "changed": [shown_path(path) for path in write.changed],
        "files": _files(write),
    }


def _files(write: PastWrite) -> list[dict[str, str]]:
    """Name the files, and what the write did to each."""
    return [
        {
            "file": shown_path(each.path),
            "action": "delete" if each.new is None else "create" if each.old is None else "update",
        }
        for each in write.entry.files
    ]
