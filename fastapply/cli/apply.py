"""`fastapply apply FILE [EDIT|-]`: put an edit into one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastapply.changes import change_file
from fastapply.cli.edit_input import read_input
from fastapply.cli.output import write_out
from fastapply.cli.request import Request, make_job, run
from fastapply.errors import UsageError
from fastapply.pipeline import Engine  # noqa: TC001 - Typer reads the annotations
from fastapply.text import encode
from fastapply.types import FormatName  # noqa: TC001
from fastapply.values import replace

if TYPE_CHECKING:
    from fastapply.changes import Outcome


def command(  # noqa: PLR0917 - one parameter an option
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file that the edit is for.")],
    edit: Annotated[
        str | None,
        typer.Argument(
            metavar="[EDIT|-]", help="A file that holds the edit; standard input where absent or '-'."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show the diff, write nothing.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Would it apply? Write nothing.")] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PATH|-", help="Write the result there, not to FILE."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
    instructions: Annotated[
        str,
        typer.Option(
            "--instructions", "-i", metavar="TEXT", help="What the edit does; decides between equal places."
        ),
    ] = "",
    format_name: Annotated[
        FormatName | None, typer.Option("--format", help="Skip detection of the edit's format.")
    ] = None,
    engine: Annotated[Engine, typer.Option("--engine", help="How the merge may be made.")] = "auto",
    stage: Annotated[bool, typer.Option("--stage", help="git add what was written.")] = False,
    require_clean: Annotated[
        bool, typer.Option("--require-clean", help="Refuse a file with uncommitted changes.")
    ] = False,
    backup: Annotated[bool, typer.Option("--backup", help="Keep the old text as FILE~.")] = False,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="LINES", help="The place that is meant: 41 or 41-47. Answers a refusal."
        ),
    ] = None,
    pick: Annotated[
        list[int] | None,
        typer.Option("--pick", metavar="N", help="The candidate that is meant. Answers a refusal."),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="CODE", help="Accept this kind of finding of the verifier."),
    ] = None,
    create: Annotated[bool, typer.Option("--create", help="A whole file may create FILE.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing where all went well.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say how the merge was made.")] = False,
) -> int:
    """Put an edit into FILE, or refuse and say why.

    The edit may be a lazy snippet ("// ... existing code ..."), SEARCH/REPLACE blocks, a unified diff,
    a "*** Begin Patch" patch, a tool call in JSON, a whole file, or a chat reply around one of these.
    """
    request = Request(
        dry_run=dry_run,
        check=check,
        json=json,
        instructions=instructions,
        format_name=format_name,
        engine=engine,
        stage=stage,
        require_clean=require_clean,
        backup=backup,
        allow=allow or (),
        quiet=quiet,
        verbose=verbose,
        at=at,
        pick=pick or (),
        create=create,
    )
    to_stdout = output == "-"

    def work() -> Outcome:
        _check_output(output, request)
        job = make_job(request, Path(output) if output is not None and not to_stdout else None)
        data = read_input(edit, f"fastapply apply {file}")
        return change_file(file, data, replace(job, write=False) if to_stdout else job)

    return run(request, work, path=file, show=_write_result if to_stdout else None)


def _write_result(outcome: Outcome) -> None:
    after = outcome.changes[0].sides.after
    write_out(encode(after) if after is not None else b"")


def _check_output(output: str | None, request: Request) -> None:
    if output is None:
        return
    if output == "-" and request.json:
        raise UsageError(
            "--json and -o - both want standard output", hint="write the result to a file: -o PATH"
        )
    if request.dry:
        raise UsageError("-o writes the result, --dry-run and --check write nothing")
    if request.backup:
        raise UsageError("--backup keeps the old text of FILE, which -o leaves alone")
    if output == "-" and request.stage:
        raise UsageError("--stage has nothing to stage with -o -")
