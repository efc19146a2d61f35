"""`fastapply apply FILE [EDIT|-]`: the options of putting an edit into one file.

Annotations are not kept as text here: Typer would have to compile each of them at every start.
"""

from typing import Annotated

import typer

from fastapply.cli.apply_file import apply_file
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
from fastapply.cli.request import Request


def command(  # noqa: PLR0917 - one parameter an option
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to edit.")],
    edit: EditInput = None,
    dry_run: DryRun = False,
    check: Check = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PATH|-", help="Write the result to PATH instead of FILE."),
    ] = None,
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
        typer.Option("--require-clean/--no-require-clean", help="Refuse a file with uncommitted changes."),
    ] = None,
    backup: Annotated[
        bool | None, typer.Option("--backup/--no-backup", help="Keep the old version as FILE~.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="LINES", help="Apply at these lines: 41 or 41-47."),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            "--in",
            metavar="NAME",
            rich_help_panel="Edit",
            help="Change nothing outside of NAME: a function, class, key ...",
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option("--after", metavar="NAME", rich_help_panel="Edit", help="Insert the code after NAME."),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option("--before", metavar="NAME", rich_help_panel="Edit", help="Insert the code before NAME."),
    ] = None,
    replace: Annotated[
        str | None,
        typer.Option("--replace", metavar="NAME", rich_help_panel="Edit", help="Replace NAME with the code."),
    ] = None,
    pick: Pick = None,
    allow: Allow = None,
    min_certainty: MinCertainty = None,
    create: Annotated[bool, typer.Option("--create", help="Create FILE if it does not exist.")] = False,
    only: Annotated[
        bool,
        typer.Option(
            "--only",
            rich_help_panel="Edit",
            help="Of an edit of several files, apply the part for FILE.",
        ),
    ] = False,
    undo: Undo = None,
    keep_log: KeepLog = None,
    quiet: Quiet = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show how the merge was made.")] = False,
    review: Review = False,
    clipboard: Clipboard = False,
    smooth: Smooth = None,
    reject: Annotated[
        bool,
        typer.Option("--reject", help="Apply the hunks that fit, write the others to FILE.rej, exit with 3."),
    ] = False,
) -> int:
    """Apply an LLM-written edit to FILE.

    The edit can be a lazy snippet ("// ... existing code ..."), SEARCH/REPLACE blocks, a unified diff,
    a "*** Begin Patch" patch, a JSON tool call, a whole file, or a chat reply that contains one of these.

    If the edit is ambiguous, FILE is left unchanged, the candidates are listed, and the exit status is 1.
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
        where=tuple(
            f"{side} {name}"
            for side, name in (("in", within), ("after", after), ("before", before), ("replace", replace))
            if name is not None
        ),
        pick=pick or (),
        create=create,
        only=only,
        min_certainty=min_certainty,
        review=review,
        clipboard=clipboard,
        smooth=smooth,
        reject=reject,
    )
    return apply_file(request, file, edit, output)
