"""`fastapply undo [FILE]`: put back what the last write replaced."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from fastapply.cli.output import tell, wants_colour, write_out
from fastapply.cli.request import Request, configured, make_job
from fastapply.diff import Sides, count_changes, encode_diff, render_diff
from fastapply.errors import FastapplyError, UsageError
from fastapply.files.shown import shown_path
from fastapply.types import Action
from fastapply.undo import Undone, text_before, undo_last


def command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="[FILE]", help="Undo the last write of this file, or of any below this folder."
        ),
    ] = ".",
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show the diff, write nothing.")] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="PATH|-", help="Write FILE's text before its last write there instead."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing where all went well.")] = False,
) -> int:
    """Put back what fastapply's last write replaced, bytes and mode, or refuse and say why.

    Without FILE it is the last write of a file in the present folder or below. A write of several files
    is undone as one. Refused where a file is no longer what was written. Called again, it undoes the
    write before; an undo cannot be undone. "fastapply log" lists the writes.
    """
    started = time.perf_counter()
    try:
        if output is not None:
            return _write_before(file, output, asked_for_more=dry_run or json)
        undone = undo_last(file, write=not dry_run)
    except FastapplyError as error:
        from fastapply.cli.report import error_object, error_text, show_json

        if json:
            show_json(error_object(error, "undo", path=file, seconds=time.perf_counter() - started))
        else:
            tell(error_text(error))
        return error.exit_status
    for warning in undone.warnings:
        tell(f"warning: {warning}")
    if json:
        from fastapply.cli.report import show_json

        show_json(undone_object(undone, file, time.perf_counter() - started))
        return 0
    if dry_run:
        _show_diff(undone)
    if not quiet:
        for text in _texts(undone):
            tell(text)
    return 0


def undone_object(undone: Undone, file: str, seconds: float) -> dict[str, Any]:
    """Make the object of an undo that went well; its keys are those of `apply`, and ``entry``."""
    from fastapply.cli.report import SCHEMA

    return {
        "schema": SCHEMA,
        "status": "undone",
        "written": undone.written,
        "reason": None,
        "message": "",
        "hint": "",
        "file": file,
        "files": [{"file": path, "action": does} for path, does, _ in _actions(undone)],
        "entry": undone.entry.name,
        "seconds": round(seconds, 4),
        "diff": "".join(render_diff(sides) for sides in undone.sides),
    }


def _write_before(file: str, output: str, *, asked_for_more: bool) -> int:
    if asked_for_more:
        raise UsageError("-o writes a text to a place, and undoes nothing: it goes with no other option")
    data = text_before(file)
    if output == "-":
        write_out(data)
        return 0
    from fastapply import files

    place = Path(output)
    keep = make_job(configured(Request(), output)).keep
    with files.locked(place) as held, files.remembered(files.past_of(place, data), keep) as not_kept:
        files.save(place, data, held)
    for warning in not_kept:
        tell(f"warning: {warning}")
    return 0


def _texts(undone: Undone) -> list[str]:
    words = {"update": "undone", "create": "restored", "delete": "removed"}
    rows = []
    for path, action, sides in _actions(undone):
        added, removed = count_changes(sides)
        word = words[action] if undone.written else f"would be {words[action]}"
        rows.append(f"{path}: {word} (+{added} -{removed})")
    return rows


def _actions(undone: Undone) -> Iterator[tuple[str, Action, Sides]]:
    """Say of each file what the undoing does to it."""
    for each, sides in zip(undone.entry.files, undone.sides, strict=True):
        yield (
            shown_path(each.path),
            "create" if each.new is None else "delete" if each.old is None else "update",
            sides,
        )


def _show_diff(undone: Undone) -> None:
    if wants_colour(sys.stdout):
        from fastapply.view import show_changes

        show_changes(undone.sides)
        return
    for sides in undone.sides:
        text = sides.after or sides.before
        write_out(encode_diff(render_diff(sides), text.encoding if text else "utf-8"))
