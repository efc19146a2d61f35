"""`fastapply evaluate compare RUN RUN...`: the same cases under several settings, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from fastapply.cli import options as opt  # noqa: TC001 - Typer reads the annotations
from fastapply.cli.evaluate.report import named
from fastapply.cli.evaluate.show import show, table_object
from fastapply.errors import UsageError
from fastapply.terminal.output import say, show_json


def command(
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
    from fastapply.evaluate.compare import beside, differences, group_columns, outcome_columns, pairs
    from fastapply.evaluate.tables import GROUPS, words

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
