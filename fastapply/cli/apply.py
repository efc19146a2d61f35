"""`fastapply apply FILE [EDIT|-]`: the options of putting an edit into one file.

Annotations are not kept as text here: Typer would have to compile each of them at every start.
"""

from typing import Annotated

import typer

from fastapply.cli import options as opt
from fastapply.cli.run import apply_file, request_from


def command(  # noqa: PLR0917 - one parameter an option
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to edit.")],
    edit: opt.EditInput = None,
    dry_run: opt.DryRun = False,
    check: opt.Check = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PATH|-", help="Write the result to PATH instead of FILE."),
    ] = None,
    json: opt.AsJson = False,
    instructions: opt.Instructions = "",
    format_name: opt.Format = None,
    engine: opt.EngineName = None,
    endpoint: opt.Endpoint = None,
    model: opt.ModelName = None,
    full_file: opt.FullFile = False,
    conversation: opt.Conversation = None,
    gpu_layers: opt.GpuLayers = None,
    threads: opt.Threads = None,
    ctx_size: opt.CtxSize = None,
    model_timeout: opt.ModelTimeout = None,
    stage: opt.Stage = None,
    require_clean: opt.RequireClean = None,
    backup: opt.Backup = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="LINES", help="Apply at these lines: 41 or 41-47."),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            "--in", metavar="NAME", help="Change nothing outside of NAME: a function, class, key ..."
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option("--after", metavar="NAME", help="Insert the code after NAME."),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option("--before", metavar="NAME", help="Insert the code before NAME."),
    ] = None,
    replace: Annotated[
        str | None,
        typer.Option("--replace", metavar="NAME", help="Replace NAME with the code."),
    ] = None,
    pick: opt.Pick = None,
    allow: opt.Allow = None,
    min_certainty: opt.MinCertainty = None,
    create: Annotated[bool, typer.Option("--create", help="Create FILE if it does not exist.")] = False,
    only: Annotated[
        bool,
        typer.Option(
            "--only",
            rich_help_panel="Edit",
            help="Of an edit of several files, apply the part for FILE.",
        ),
    ] = False,
    undo: opt.Undo = None,
    keep_log: opt.KeepLog = None,
    quiet: opt.Quiet = None,
    verbose: opt.Verbose = False,
    review: opt.Review = False,
    clipboard: opt.Clipboard = False,
    smooth: opt.Smooth = None,
    reject: Annotated[
        bool,
        typer.Option("--reject", help="Apply the hunks that fit, write the others to FILE.rej, exit with 3."),
    ] = False,
) -> int:
    """Apply an LLM-written edit to FILE.

    The edit can be a lazy edit (a snippet that leaves out unchanged code and marks the gap with a comment
    such as "// ... existing code ..."), SEARCH/REPLACE blocks, a unified diff, a "*** Begin Patch" patch,
    a JSON tool call, a whole file, or a chat reply that contains one of these.

    If the edit is ambiguous, FILE is left unchanged, the candidates are listed, and the exit status is 1.
    """
    places = (("in", within), ("after", after), ("before", before), ("replace", replace))
    where = tuple(f"{side} {name}" for side, name in places if name is not None)
    return apply_file(request_from(locals()), file, edit, output)
