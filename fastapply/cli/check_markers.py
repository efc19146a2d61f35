"""`fastapply check-markers FILE...`: for a pre-commit hook, which gets file names and no edits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastapply.cli.tell import say
from fastapply.errors import FileTrouble

EPILOG = (
    "Exit status: 0 no marker found; 1 markers found; 4 a file could not be read. Binary files are left out."
)


def command(files: Annotated[list[Path], typer.Argument(help="Files to look through.")]) -> None:
    """Run the command."""
    status = 0
    for file in files:
        try:
            found = left_markers(file)
        except FileTrouble as trouble:
            if trouble.reason == "binary":
                continue
            say(f"fastapply: {trouble.message}")
            status = max(status, trouble.exit_status)
            continue
        for number, line in found:
            typer.echo(f"{file}:{number}: {line.strip()}")
            status = max(status, 1)
    if status == 1:
        say("fastapply: these lines stand for code that an edit left out; put the code back")
    raise typer.Exit(status)


def left_markers(file: Path) -> tuple[tuple[int, str], ...]:
    """Numbers and texts of lines that only say that code was left out. Raises `FileTrouble`.

    A bare ``...`` is code in Python and prose in Markdown, so only markers with words count.
    """
    from fastapply import files
    from fastapply.formats.markers import find_markers

    lines = files.read(file).source.lines
    return tuple(
        (number + 1, lines[number]) for number in sorted(find_markers(lines)) if _says_so(lines[number])
    )


def _says_so(line: str) -> bool:
    return ("..." in line or "…" in line) and any(character.isalpha() for character in line)
