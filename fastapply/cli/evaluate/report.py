"""`fastapply evaluate report RUN...` and `compare RUN RUN...`: tables of runs, one by one or side by side.

With the lab `report` makes one page with all their merges.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastapply.cli import options as opt  # noqa: TC001 - Typer reads the annotations
from fastapply.cli.evaluate.run import show, show_records, table_object
from fastapply.errors import UsageError
from fastapply.evaluate.records import read_records, read_settings
from fastapply.terminal.output import say, show_json

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
    names = [str(read_settings(Path(run)).get("name") or Path(run).resolve().name) for run in runs]
    if len(set(names)) < len(names):
        names = [str(Path(run)) for run in runs]
    found = {name: list(read_records(Path(run))) for name, run in zip(names, runs, strict=True)}
    for run, records in zip(runs, found.values(), strict=True):
        if not records:
            raise UsageError(f"{run} has no results")
    return found


def compare(
    runs: Annotated[list[str], typer.Argument(metavar="RUN RUN...", help="Run folders.")],
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", metavar="GROUP", help="Group results by format, language or repository ... Repeatable."
        ),
    ] = None,
    details: Annotated[bool, typer.Option("--show", help="List the cases with different outcomes.")] = False,
    json: opt.AsJson = False,
) -> int:
    """Compare runs on the cases that all of them have.

    The last table shows how many cases only one run of each pair has right, and the p-value.
    """
    from fastapply.evaluate.tables import (
        GROUPS,
        beside,
        differences,
        group_columns,
        outcome_columns,
        pairs,
        words,
    )

    if len(runs) < 2:
        raise UsageError("compare needs two or more runs")
    groups = by or ["format"]
    unknown = sorted(set(groups) - set(GROUPS))
    if unknown:
        raise UsageError(f"unknown --by value: {', '.join(unknown)}", hint=f"one of: {', '.join(GROUPS)}")
    together = beside(named(runs))
    tables = {"outcomes": outcome_columns(together)}
    tables |= {group: group_columns(together, group) for group in groups}
    tables["pairs"] = pairs(together)
    if json:
        listed = [{"id": one.id, "outcomes": list(one.outcomes)} for one in differences(together)]
        show_json(
            {
                "schema": 1,
                "runs": list(together),
                **{name: table_object(table) for name, table in tables.items()},
                "differences": listed,
            }
        )
        return 0
    for table in tables.values():
        show(table)
    found = list(differences(together))
    say(f"{len(next(iter(together.values())))} cases in common, {len(found)} with different outcomes")
    if details:
        for one in found:
            say(f"  {one.id}: {', '.join(map(words, one.outcomes))}")
    return 0
