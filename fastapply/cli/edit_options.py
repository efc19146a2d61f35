"""The options about the edit and its writing, as the commands that put edits in declare them.

Annotations are not kept as text here: Typer would have to compile each of them at every start.
"""

from typing import Annotated

import typer

from fastapply.pipeline import Engine
from fastapply.types import FormatName

EditInput = Annotated[
    str | None,
    typer.Argument(
        metavar="[EDIT|-]", help="A file that holds the edit; standard input where absent or '-'."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show the diff, write nothing.")]
Check = Annotated[bool, typer.Option("--check", help="Would it apply? Write nothing.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Instructions = Annotated[
    str,
    typer.Option(
        "--instructions", "-i", metavar="TEXT", help="What the edit does; decides between equal places."
    ),
]
Format = Annotated[FormatName | None, typer.Option("--format", help="Skip detection of the edit's format.")]
EngineName = Annotated[
    Engine | None, typer.Option("--engine", help="How the merge may be made: auto where absent.")
]
Stage = Annotated[bool | None, typer.Option("--stage/--no-stage", help="git add what was written.")]
Pick = Annotated[
    list[str] | None,
    typer.Option(
        "--pick",
        metavar="N",
        help="The answer that is meant, or ID:N with the question's id. Answers a refusal.",
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="CODE", help="Accept this kind of finding of the verifier."),
]
MinCertainty = Annotated[
    float | None,
    typer.Option(
        "--min-certainty",
        metavar="0..1",
        min=0.0,
        max=1.0,
        help="Refuse a lazy merge that is less likely to be right than this.",
    ),
]
Undo = Annotated[
    bool | None,
    typer.Option("--undo/--no-undo", help="Keep what is replaced for fastapply undo: the default."),
]
KeepLog = Annotated[
    bool | None,
    typer.Option("--keep-log/--no-keep-log", help="Keep this call in the log of use: not by default."),
]
Quiet = Annotated[
    bool | None, typer.Option("--quiet/--no-quiet", "-q", help="Say nothing where all went well.")
]
Review = Annotated[
    bool, typer.Option("--review", help="Ask on the terminal for every hunk, as git add -p does.")
]
Clipboard = Annotated[
    bool, typer.Option("--clipboard", help="Take the edit from the clipboard, in place of EDIT.")
]
Smooth = Annotated[
    bool | None,
    typer.Option("--smooth/--no-smooth", help="Mend small mistakes of the edit, and say each."),
]
