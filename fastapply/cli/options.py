"""The options that several commands have: about the edit, its writing, and apply models.

Annotations are not kept as text here: Typer would have to compile each of them at every start.
"""

from typing import Annotated

import typer

from fastapply.types import Engine, FormatName

EditInput = Annotated[
    str | None,
    typer.Argument(metavar="[EDIT|-]", help="A file with the edit. Default: standard input."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show the diff without writing.")]
Check = Annotated[bool, typer.Option("--check", help="Check whether the edit applies, without writing.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Instructions = Annotated[
    str,
    typer.Option(
        "--instructions", "-i", metavar="TEXT", help="Describe the edit. Decides between equal candidates."
    ),
]
Format = Annotated[FormatName | None, typer.Option("--format", help="The edit format. Default: detect.")]
EngineName = Annotated[
    Engine | None,
    typer.Option(
        "--engine",
        help="When to use an apply model. auto: only for unclear edits; deterministic: never; "
        "model: always. Default: auto.",
    ),
]
Stage = Annotated[bool | None, typer.Option("--stage/--no-stage", help="Run git add on written files.")]
RequireClean = Annotated[
    bool | None,
    typer.Option("--require-clean/--no-require-clean", help="Refuse files with uncommitted changes."),
]
Backup = Annotated[bool | None, typer.Option("--backup/--no-backup", help="Keep the old version as FILE~.")]
Root = Annotated[
    str, typer.Option("--root", metavar="DIR", help="The folder that file names are relative to.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show how the merge was made.")]
Pick = Annotated[
    list[str] | None,
    typer.Option(
        "--pick",
        metavar="N",
        help="Choose answer N of a refusal, or ID:N, with the question's ID.",
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="CODE", help="Ignore this verifier finding."),
]
MinCertainty = Annotated[
    float | None,
    typer.Option(
        "--min-certainty",
        metavar="0..1",
        min=0.0,
        max=1.0,
        help="Refuse lazy edits below this certainty.",
    ),
]
Undo = Annotated[
    bool | None,
    typer.Option("--undo/--no-undo", help="Keep the old version for fastapply undo. On by default."),
]
KeepLog = Annotated[
    bool | None,
    typer.Option("--keep-log/--no-keep-log", help="Record this call in the usage log. Off by default."),
]
Quiet = Annotated[bool | None, typer.Option("--quiet/--no-quiet", "-q", help="Print nothing on success.")]
Review = Annotated[bool, typer.Option("--review", help="Choose hunks interactively, as in git add -p.")]
Clipboard = Annotated[bool, typer.Option("--clipboard", help="Read the edit from the clipboard.")]
Smooth = Annotated[
    bool | None,
    typer.Option("--smooth/--no-smooth", help="Fix small mistakes in the edit and report each one."),
]
Endpoint = Annotated[
    str | None,
    typer.Option(
        "--endpoint", metavar="URL", help="Model server with an OpenAI API; --model names the model."
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME|PATH", help="Apply model to use. Default: set by models use."),
]
FullFile = Annotated[
    bool,
    typer.Option("--full-file", help="Let the model rewrite the whole file, not only the unclear part."),
]
Conversation = Annotated[
    str | None,
    typer.Option("--conversation", metavar="FILE", help="Earlier conversation, for models that accept one."),
]
GpuLayers = Annotated[
    int | None,
    typer.Option(
        "--gpu-layers", metavar="N", help="Model layers to run on the GPU. Default: as many as fit."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", help="CPU threads for the model. Default: one per core."),
]
ModelTimeout = Annotated[
    float | None,
    typer.Option("--model-timeout", metavar="SECONDS", help="Time limit for a model answer. Default: 120."),
]
CtxSize = Annotated[
    int | None,
    typer.Option("--ctx-size", metavar="TOKENS", help="Model context size. Default: as needed."),
]
