"""`fastapply patch [EDIT|-]`: an edit that names its own files; all of them change, or none."""

from typing import Annotated

import typer

from fastapply.cli.edit_input import read_clipboard, read_input
from fastapply.cli.edit_options import (
    Allow,
    AsJson,
    Check,
    Clipboard,
    DryRun,
    EditInput,
    EngineName,
    Format,
    Instructions,
    KeepLog,
    MinCertainty,
    Pick,
    Quiet,
    Review,
    Smooth,
    Stage,
    Undo,
)
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
from fastapply.workspace.changes import Outcome
from fastapply.workspace.patches import change_files


def command(  # noqa: PLR0917 - one parameter an option
    edit: EditInput = None,
    root: Annotated[
        str, typer.Option("--root", metavar="DIR", help="The folder that file names are relative to.")
    ] = ".",
    dry_run: DryRun = False,
    check: Check = False,
    json: AsJson = False,
    instructions: Instructions = "",
    format_name: Format = None,
    engine: EngineName = None,
    endpoint: Endpoint = None,
    model: ModelName = None,
    full_file: FullFile = False,
    conversation: Conversation = None,
    gpu_layers: GpuLayers = None,
    threads: Threads = None,
    ctx_size: CtxSize = None,
    model_timeout: ModelTimeout = None,
    stage: Stage = None,
    require_clean: Annotated[
        bool | None,
        typer.Option("--require-clean/--no-require-clean", help="Refuse files with uncommitted changes."),
    ] = None,
    backup: Annotated[
        bool | None, typer.Option("--backup/--no-backup", help="Keep the old versions as FILE~.")
    ] = None,
    pick: Pick = None,
    allow: Allow = None,
    min_certainty: MinCertainty = None,
    undo: Undo = None,
    keep_log: KeepLog = None,
    quiet: Quiet = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show how the merges were made.")] = False,
    review: Review = False,
    clipboard: Clipboard = False,
    smooth: Smooth = None,
) -> int:
    """Apply an edit that names its files. Either all of them change, or none.

    The edit can change, create, delete and move files below --root.
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
