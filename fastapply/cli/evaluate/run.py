"""`fastapply evaluate run CASES`: apply cases, and keep what came of each in a folder."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastapply import __version__
from fastapply.cli import options as opt  # noqa: TC001 - Typer reads the annotations
from fastapply.cli.exits import INTERRUPTED, cores, stopped_by_interrupt
from fastapply.errors import UsageError
from fastapply.evaluate.cases import logged_cases, read_cases
from fastapply.evaluate.engines import CommandEngine, EngineChoice, GivenEngine, OwnEngine
from fastapply.evaluate.records import known_ids, read_records, run_cases, write_settings
from fastapply.evaluate.tables import GROUPS, group_table, latency_table, outcome_table, summary, sums, words
from fastapply.models.remote import ENDPOINT_VARIABLE
from fastapply.terminal.colours import wants_colour
from fastapply.terminal.output import say, show_json, tell
from fastapply.types import Engine  # noqa: TC001 - Typer reads the annotation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fastapply.evaluate.records import MakeEngine, Record
    from fastapply.evaluate.tables import Table

_GROUPS = ("format", "language", "lines of file", "lines of edit")


def command(  # noqa: PLR0917 - one parameter an option
    cases: Annotated[
        list[str] | None,
        typer.Argument(metavar="CASES...", help="JSON lines files, plain or compressed, or case folders."),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="RUN", help="The run folder. A stopped run resumes.")
    ] = "",
    from_log: Annotated[
        bool, typer.Option("--from-log", help="Also use the edits in the usage log (keep_log).")
    ] = False,
    engine: Annotated[
        Engine,
        typer.Option(
            "--engine",
            help="When to use an apply model. auto: only for unclear edits; deterministic: never; "
            "model: always.",
        ),
    ] = "auto",
    model: opt.ModelName = None,
    endpoint: opt.Endpoint = None,
    full_file: opt.FullFile = False,
    cmd: Annotated[
        str | None,
        typer.Option(
            "--cmd", metavar="COMMAND", help="Run another tool: 'tool {file} {edit} {instructions}'."
        ),
    ] = None,
    given: Annotated[
        bool, typer.Option("--given", help='Apply nothing; score "merged" of each line.')
    ] = False,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", metavar="FORMAT", help="Only cases of this format."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", min=1, help="Parallel cases. Default: all cores."),
    ] = None,
    limit: Annotated[
        float, typer.Option("--time-limit", min=0.1, metavar="SECONDS", help="Time limit per case.")
    ] = 60,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="The run's name in tables. Default: its folder."),
    ] = None,
    only: Annotated[
        str, typer.Option("--only", metavar="TEXT", help="Only cases whose id contains this text.")
    ] = "",
    details: Annotated[bool, typer.Option("--show", help="List the cases that are not correct.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    json: opt.AsJson = False,
) -> int:
    """Apply cases and classify the results.

    A case has "original" and "edit". Optional keys: "expected", "instructions", "path", "format" and "id".
    Ctrl-C stops. Run the same command again to resume.
    """
    asked = EngineChoice(engine, model or "", endpoint or "", full_file)
    settings, make_engine = _settings(asked, cmd, limit, given=given, named=endpoint is not None)
    number = jobs or (1 if engine == "model" else cores())
    read = list(read_cases(map(Path, cases or ())))
    if from_log:
        read += logged_cases()
    chosen = [case for case in read if only in case.id]
    if not chosen:
        hint = "give JSON lines files or folders of case folders"
        if from_log and not cases:
            hint = "set keep_log = true in your configuration to record calls"
        raise UsageError("no cases found", hint=hint)
    if not out:
        raise UsageError("--out is missing", hint="add --out RUN")
    folder = Path(out)
    named = [*(cases or ()), *(["--from-log"] if from_log else [])]
    write_settings(
        folder,
        {**settings, "formats": sorted(formats or ()), "cases": named, "jobs": number, "name": name or ""},
    )
    known = known_ids(folder)
    left = sum(case.id not in known for case in chosen)
    if known and not quiet:
        tell(f"{len(chosen) - left} of {len(chosen)} cases have results already")
    stop = threading.Event()
    with stopped_by_interrupt(stop.set), progress(quiet=quiet) as update:
        records = run_cases(chosen, folder, make_engine, jobs=number, formats=formats or (), stop=stop)
        for done, _ in enumerate(records, 1):
            update(done, left)
    wanted = {case.id for case in chosen}
    results = [record for record in read_records(folder) if record.case.id in wanted]
    if stop.is_set():
        tell(f"stopped: {len(results)} of {len(chosen)} cases done; run the same command again to resume")
        return INTERRUPTED
    if json:
        _show_object(results)
    else:
        show_records(results, details=details)
    return 0


def _settings(
    asked: EngineChoice, cmd: str | None, limit: float, *, given: bool, named: bool
) -> tuple[dict[str, Any], MakeEngine]:
    """What a run is, as it is kept, and what makes an engine of it.

    The environment names the endpoint where none was `named`, not even an empty one.
    """
    common = {
        "schema": 1,
        "version": __version__,
        "begun": datetime.now(UTC).isoformat(timespec="seconds"),
        "limit": limit,
    }
    if given and (cmd is not None or asked != EngineChoice()):
        raise UsageError("--given cannot be used with options that control merging")
    if given:
        return {**common, "engine": "given"}, GivenEngine
    if cmd is not None:
        if asked != EngineChoice():
            raise UsageError("--cmd cannot be used with model options")
        CommandEngine(cmd, limit)  # complains before anything is read
        return {**common, "engine": "command", "command": cmd}, partial(CommandEngine, cmd, limit)
    if asked.engine == "deterministic" and (asked.model or asked.endpoint):
        raise UsageError("--engine deterministic cannot be used with --model or --endpoint")
    if not named and asked.engine != "deterministic":
        asked = replace(asked, endpoint=os.environ.get(ENDPOINT_VARIABLE, ""))
    if asked.endpoint:
        from fastapply.models.remote.endpoint import find_endpoint

        find_endpoint(asked.endpoint, asked.model or None)  # complains before anything is read
    return {**common, **asdict(asked)}, partial(OwnEngine, asked, limit)


def show_records(records: Sequence[Record], *, details: bool) -> None:
    """Print the tables of a run, with `details` what is not right before them."""
    if details:
        for record in records:
            if record.right is not True:
                why = record.verdict.why or record.attempt.message
                say(f"{words(record.verdict.outcome):<16} {record.case.id}  {' '.join(why.split())[:120]}")
        say("")
    show(outcome_table(records))
    for by in _GROUPS:
        table = group_table(records, by)
        if len(table[1]) > 1:
            show(table)
    show(latency_table(records))
    say(summary(records))


def _show_object(records: Sequence[Record]) -> None:
    show_json(
        {
            "schema": 1,
            **asdict(sums(records)),
            "outcomes": table_object(outcome_table(records)),
            "groups": {by: table_object(group_table(records, by)) for by in GROUPS},
            "latency": table_object(latency_table(records)),
        }
    )


def show(table: Table) -> None:
    """Print a table, and an empty line behind it."""
    head, rows = table
    if wants_colour(sys.stdout):
        from fastapply.terminal.view import show_table

        show_table(head, rows)
    else:
        widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
        for row in (head, *rows):
            say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    say("")


def table_object(table: Table) -> list[dict[str, str]]:
    """A table for ``--json``: an object a row."""
    head, rows = table
    return [dict(zip(head, row, strict=True)) for row in rows]


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show how many of all are done, where somebody looks at it."""
    if quiet or not wants_colour(sys.stderr):
        yield lambda _done, _all: None
        return
    from fastapply.terminal.view import show_progress

    with show_progress() as update:
        yield update
