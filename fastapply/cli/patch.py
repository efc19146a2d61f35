"""`fastapply patch [EDIT|-]`: an edit that names its own files; all of them change, or none."""

from typing import Annotated

import typer

from fastapply.changes import Outcome
from fastapply.cli.edit_input import read_clipboard, read_input
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
from fastapply.cli.request import Asked, Request, configured, make_job, run
from fastapply.patches import change_files
from fastapply.pipeline import Engine
from fastapply.types import FormatName


def command(  # noqa: PLR0917 - one parameter an option
    edit: Annotated[
        str | None,
        typer.Argument(
            metavar="[EDIT|-]", help="A file that holds the edit; standard input where absent or '-'."
        ),
    ] = None,
    root: Annotated[
        str, typer.Option("--root", metavar="DIR", help="The folder that file names start from.")
    ] = ".",
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show the diff, write nothing.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Would it apply? Write nothing.")] = False,
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
        typer.Option("--require-clean/--no-require-clean", help="Refuse files with uncommitted changes."),
    ] = None,
    backup: Annotated[
        bool | None, typer.Option("--backup/--no-backup", help="Keep the old texts as FILE~.")
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
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say how the merges were made.")] = False,
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
) -> int:
    """Carry out an edit that names its own files: all of them change, or none.

    Files may be changed, made, deleted and moved, all inside of --root.
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
        min_certainty=min_certainty,
        verbose=verbose,
        pick=pick or (),
        review=review,
        clipboard=clipboard,
        smooth=smooth,
    )

    request = configured(request, root)
    asked = Asked(root)

    def work() -> Outcome:
        job = make_job(request, root=root)
        if request.review:
            from fastapply.cli.review import with_review

            job = with_review(job, request, None if request.clipboard else edit or "-")
        data = asked.edit = read_clipboard(edit) if request.clipboard else read_input(edit, "fastapply patch")
        return change_files(root, data, job)

    return run(request, work, path=None, asked=asked)
