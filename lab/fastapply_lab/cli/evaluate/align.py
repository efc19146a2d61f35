"""`fastapply evaluate align RUN`: how far judge, annotators and known answers agree."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Annotated

import typer

from fastapply.cli.evaluate.run import show
from fastapply.errors import UsageError
from fastapply.terminal.output import say


def command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run folder.")],
    between: Annotated[
        list[str] | None,
        typer.Option("--rater", metavar="NAME", help="Only this rater, such as 'person ann'. Repeatable."),
    ] = None,
    details: Annotated[bool, typer.Option("--show", help="List the merges that raters disagree on.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Compare the judge, annotators and known answers, in pairs (only in a checkout).

    Shows a table of classes, Cohen's kappa, and false positives and negatives with 95 % intervals.
    """
    from dataclasses import asdict

    from fastapply.evaluate.records import read_records
    from fastapply.evaluate.tables import words
    from fastapply_lab.evaluate.align import class_table, compare, ratings_of, sentence
    from fastapply_lab.evaluate.annotations import read_annotations
    from fastapply_lab.evaluate.judgements import read_judgements

    folder = Path(run)
    ratings = ratings_of(list(read_records(folder)), read_annotations(folder), read_judgements(folder))
    names = [name for name in ratings if not between or name in between]
    pairs = [one for one in combinations(names, 2) if set(one) != {"answer", "suggestion"}]
    if not pairs:
        known = ", ".join(ratings) or "nobody"
        raise UsageError(
            f"{run} needs two raters for the same merges; found {known}",
            hint="run evaluate view or evaluate judge, or use cases with expected results",
        )
    found = [one for pair in pairs if (one := compare(*pair, ratings)).cases]
    if json:
        from fastapply.terminal.output import show_json

        show_json({"schema": 1, "pairs": [asdict(one) for one in found]})
        return 0
    for one in found:
        show(class_table(one))
        say(sentence(one))
        if details:
            for case, first, second in one.differ:
                say(f"  {case}: {words(first)} by {one.reference}, {words(second)} by {one.rater}")
        say("")
    return 0
