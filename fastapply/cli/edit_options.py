"""The options about the edit and its writing, as the commands that put edits in declare them.

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
    Engine | None, typer.Option("--engine", help="When to use an apply model. Default: auto.")
]
Stage = Annotated[bool | None, typer.Option("--stage/--no-stage", help="Run git add on written files.")]
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
