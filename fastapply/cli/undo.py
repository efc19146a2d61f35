"""`fastapply undo [FILE|ID]`: put back what a write replaced."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from fastapply.cli import options as opt
from fastapply.cli.exits import report
from fastapply.errors import FastapplyError, UsageError
from fastapply.jobs.objects import SCHEMA
from fastapply.jobs.request import Request, configured, make_job
from fastapply.terminal.output import show_json, tell, write_out
from fastapply.text.diff import Sides, count_changes, render_diff
from fastapply.types import Action
from fastapply.values import dataclass
from fastapply.workspace import files
from fastapply.workspace.files.root import shown_path
from fastapply.workspace.undo import Undone, text_before, undo_last

Place = Annotated[
    str, typer.Argument(metavar="[FILE|ID]", help="A file, a folder, or an ID from fastapply log.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing on success.")]


def command(
    file: Place = ".",
    dry_run: opt.DryRun = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="PATH|-", help="Write the old version of FILE to PATH instead."
        ),
    ] = None,
    json: opt.AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Undo a write: restore the old bytes and mode.

    By default, undo the last write in the current directory or below. A write to several files is undone
    as one. Later changes to other lines are kept. If later changes conflict, the undo is refused.

    Run it again to undo the write before. "fastapply log" lists writes; "fastapply redo" redoes them.
    """
    if output is not None:
        return _guarded(lambda: _write_before(file, output, asked_for_more=dry_run or json), file, json)
    return turn_back(undo_last, file, _WORDS, dry_run=dry_run, json=json, quiet=quiet)


@dataclass(frozen=True, slots=True)
class Words:
    """How undo and redo say what they did."""

    command: str
    done: str
    create: str
    delete: str


_WORDS = Words("undo", "undone", "restored", "removed")


def turn_back(
    work: Callable[..., Undone], file: str, words: Words, *, dry_run: bool, json: bool, quiet: bool
) -> int:
    """Undo or redo, and show what came of it. Returns the exit status."""

    def run() -> int:
        started = time.perf_counter()
        undone = work(file, write=not dry_run)
        for warning in undone.warnings:
            tell(f"warning: {warning}")
        if json:
            show_json(undone_object(undone, file, words, time.perf_counter() - started))
            return 0
        if dry_run:
            from fastapply.terminal.pager import show_diffs

            show_diffs(undone.sides)
        if not quiet:
            for text in _texts(undone, words):
                tell(text)
        return 0

    return _guarded(run, file, json, words.command)


def _guarded(run: Callable[[], int], file: str, json: bool, command: str = "undo") -> int:
    """Run, and show an error as the options ask for it."""
    started = time.perf_counter()
    try:
        return run()
    except FastapplyError as error:
        return report(error, command, json=json, path=file, seconds=time.perf_counter() - started)


def undone_object(undone: Undone, file: str, words: Words, seconds: float) -> dict[str, Any]:
    """Make the object of an undo that went well; its keys are those of `apply`, and ``entry``.

    A file that keeps other changes has ``merged``.
    """
    return {
        "schema": SCHEMA,
        "status": words.done,
        "written": undone.written,
        "reason": None,
        "message": "",
        "hint": "",
        "file": file,
        "files": [
            {"file": shown_path(path), "action": does, **({"merged": True} if path in undone.merged else {})}
            for path, does, _ in _actions(undone)
        ],
        "entry": undone.entry.name,
        "seconds": round(seconds, 4),
        "diff": "".join(render_diff(sides) for sides in undone.sides),
    }


def _write_before(file: str, output: str, *, asked_for_more: bool) -> int:
    if asked_for_more:
        raise UsageError("-o cannot be used with other options")
    data = text_before(file)
    if output == "-":
        write_out(data)
        return 0
    place = Path(output)
    keep = make_job(configured(Request(), output)).keep
    with files.locked(place) as held:
        # a new file is no write to undo
        replaced = [each for each in files.replaced_at(place, data) if each.data is not None]
        with files.remembered(replaced, keep, aside=True) as not_kept:
            files.save(place, data, held)
    for warning in not_kept:
        tell(f"warning: {warning}")
    return 0


def _texts(undone: Undone, words: Words) -> list[str]:
    rows = []
    for path, action, sides in _actions(undone):
        added, removed = count_changes(sides)
        word = {"update": words.done, "create": words.create, "delete": words.delete}[action]
        word = word if undone.written else f"would be {word}"
        rest = ", other changes kept" if path in undone.merged else ""
        rows.append(f"{shown_path(path)}: {word} (+{added} -{removed}){rest}")
    return rows


def _actions(undone: Undone) -> Iterator[tuple[str, Action, Sides]]:
    """Say of each file what is done to it."""
    for each, sides in zip(undone.entry.files, undone.sides, strict=True):
        before, after = (each.old, each.new) if undone.redo else (each.new, each.old)
        action: Action = "create" if before is None else "delete" if after is None else "update"
        yield each.path, action, sides
