"""`fastapply evaluate report RUN...`: the tables of runs, or with the lab one page with all their merges."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastapply.cli.evaluate.run import show_records
from fastapply.errors import UsageError
from fastapply.terminal.output import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.evaluate.records import Record


def command(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Run folders.")],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write a page of HTML. In a checkout only."),
    ] = None,
) -> int:
    """Show the tables of runs, or write a self-contained HTML report."""
    if out is not None:
        from fastapply.cli.commands import demand_lab

        demand_lab("evaluate report -o")
        import_module("fastapply_lab.cli.evaluate.page").write_page(runs, Path(out))
        return 0
    for name, records in named(runs).items():
        say(f"{name}\n")
        show_records(records, details=False)
    return 0


def named(runs: Sequence[str]) -> dict[str, list[Record]]:
    """Runs by their names, or by their folders where these are not different. Raises `UsageError`."""
    from fastapply.evaluate.records import read_records, run_name

    names = [run_name(Path(run)) for run in runs]
    if len(set(names)) < len(names):
        names = [str(Path(run)) for run in runs]
    found = {name: list(read_records(Path(run))) for name, run in zip(names, runs, strict=True)}
    for run, records in zip(runs, found.values(), strict=True):
        if not records:
            raise UsageError(f"{run} has no results")
    return found
