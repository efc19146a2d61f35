"""`fastapply init`: shows, and on a yes writes, what a repository wants for working with fastapply."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from fastapply.config import keep_of, load
from fastapply.errors import UsageError
from fastapply.init import FILES, GIT_CONFIG_LINE, PIECES, Planned, plan, write
from fastapply.terminal.colours import wants_colour
from fastapply.terminal.output import tell, write_out
from fastapply.text.diff import encode_diff, render_diff
from fastapply.workspace.git import top_of_folder


def command(
    pieces: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[settings|pre-commit|agents|merge-driver]...",
            help="What to set up. Default: all, but a missing .pre-commit-config.yaml is created only with "
            "init pre-commit.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show the diff without writing.")] = False,
) -> int:
    """Set up a repository: show the changes, ask, and write them.

    settings: fastapply.toml, which explains every setting that a project may have. pre-commit: a hook
    that finds leftover lazy markers. agents: instructions for models in AGENTS.md. merge-driver:
    .gitattributes for the merge driver.

    Run it again to update these parts. "fastapply undo" undoes it.
    """
    unknown = sorted(set(pieces or ()) - set(PIECES))
    if unknown:
        raise UsageError(f"unknown part: {', '.join(unknown)}", hint=f"there are: {', '.join(PIECES)}")
    top = top_of_folder(".") or Path.cwd()
    planned = plan(top, [piece for piece in PIECES if piece in (pieces or ())])
    for one in planned:
        if one.after is None:
            tell(f"{FILES[one.piece]}: {one.why_not}")
    wanted = [one for one in planned if one.after is not None]
    if not wanted:
        return 0
    if not yes or dry_run:
        _show(wanted)
    if dry_run:
        return 0
    if not yes and not _agreed(len(wanted)):
        tell("nothing written")
        return 0
    for warning in write(top, wanted, keep_of(load(top))).warnings:
        tell(f"warning: {warning}")
    for one in wanted:
        tell(f"{FILES[one.piece]}: {'written' if one.state is None else 'changed'}")
    if any(one.piece == "merge-driver" for one in wanted):
        tell(f"to enable the merge driver in each clone, run: {GIT_CONFIG_LINE}")
    return 0


def _show(wanted: list[Planned]) -> None:
    if wants_colour(sys.stdout):
        from fastapply.terminal.view import show_changes

        show_changes([one.sides for one in wanted])
        return
    for one in wanted:
        write_out(encode_diff(render_diff(one.sides), "utf-8"))


def _agreed(count: int) -> bool:
    """Ask on the terminal. Raises `UsageError` without one."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            "init needs a terminal to ask before writing", hint="use --yes to write without asking"
        )
    sys.stdout.flush()
    sys.stderr.write(f"write {'this file' if count == 1 else f'these {count} files'} [y,n]? ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
