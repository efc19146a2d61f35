"""`fastapply apply FILE [EDIT|-]`: the options of putting an edit into one file.

Annotations are not kept as text here: Typer would have to compile each of them at every start.
"""

from typing import Annotated

import typer

from fastapply.cli.apply_file import apply_file
from fastapply.cli.model_options import (
    Conversation,
    CtxSize,
    Endpoint,
    FullFile,
    GpuLayers,
    ModelName,
    ModelTimeout,
    Threads,
)
from fastapply.cli.model_request import ModelRequest
from fastapply.cli.request import Request
from fastapply.pipeline import Engine
from fastapply.types import FormatName


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
    engine: Annotated[
        Engine | None, typer.Option("--engine", help="How the merge may be made: auto where absent.")
    ] = None,
    endpoint: Endpoint = None,
    model: ModelName = None,
    full_file: FullFile = False,
    conversation: Conversation = None,
    gpu_layers: GpuLayers = None,
    threads: Threads = None,
    ctx_size: CtxSize = None,
    model_timeout: ModelTimeout = None,
    stage: Annotated[
        bool | None, typer.Option("--stage/--no-stage", help="git add what was written.")
    ] = None,
    require_clean: Annotated[
        bool | None,
        typer.Option("--require-clean/--no-require-clean", help="Refuse a file with uncommitted changes."),
    ] = None,
    backup: Annotated[
        bool | None, typer.Option("--backup/--no-backup", help="Keep the old text as FILE~.")
    ] = None,
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
    min_certainty: Annotated[
        float | None,
        typer.Option(
            "--min-certainty",
            metavar="0..1",
            min=0.0,
            max=1.0,
            help="Refuse a lazy merge that is less likely to be right than this.",
        ),
    ] = None,
    create: Annotated[bool, typer.Option("--create", help="A whole file may create FILE.")] = False,
    undo: Annotated[
        bool | None,
        typer.Option("--undo/--no-undo", help="Keep what is replaced for fastapply undo: the default."),
    ] = None,
    keep_log: Annotated[
        bool | None,
        typer.Option("--keep-log/--no-keep-log", help="Keep this call in the log of use: not by default."),
    ] = None,
    quiet: Annotated[
        bool | None, typer.Option("--quiet/--no-quiet", "-q", help="Say nothing where all went well.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say how the merge was made.")] = False,
    review: Annotated[
        bool, typer.Option("--review", help="Ask on the terminal for every hunk, as git add -p does.")
    ] = False,
    clipboard: Annotated[
        bool, typer.Option("--clipboard", help="Take the edit from the clipboard, in place of EDIT.")
    ] = False,
    smooth: Annotated[
        bool | None,
        typer.Option("--smooth/--no-smooth", help="Mend small mistakes of the edit, and say each."),
    ] = None,
    reject: Annotated[
        bool, typer.Option("--reject", help="Put in the hunks that fit; the others go to FILE.rej. Status 3.")
    ] = False,
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
        model=ModelRequest(
            model, full_file, conversation, gpu_layers, threads, ctx_size, endpoint, model_timeout
        ),
        stage=stage,
        require_clean=require_clean,
        backup=backup,
        allow=allow or None,
        quiet=quiet,
        undo=undo,
        keep_log=keep_log,
        verbose=verbose,
        at=at,
        pick=pick or (),
        create=create,
        min_certainty=min_certainty,
        review=review,
        clipboard=clipboard,
        smooth=smooth,
        reject=reject,
    )
    return apply_file(request, file, edit, output)
