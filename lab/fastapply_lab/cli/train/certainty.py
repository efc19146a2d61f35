"""`fastapply train certainty`: the weights by which candidates are ranked and believed."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import Annotated

import typer

from fastapply.errors import FileTrouble, UsageError


def certainty(
    cases: Annotated[
        list[Path], typer.Argument(metavar="CASES...", help="JSON lines files, plain or compressed.")
    ],
    *,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="JSON", help="The file of weights."),
    ],
    most_wrong: Annotated[
        float,
        typer.Option("--most-wrong", help="Allowed share of wrong writes on unseen cases."),
    ] = 0.01,
    most_wrong_unsaid: Annotated[
        float,
        typer.Option("--most-wrong-unsaid", help="The same, for edits without instructions."),
    ] = 0.01,
    unsaid: Annotated[
        float,
        typer.Option("--unsaid", min=0, max=1, help="Share of edits also tried without instructions."),
    ] = 0.5,
    again: Annotated[
        float,
        typer.Option("--again", min=0, max=1, help="Share of edits also tried a second time."),
    ] = 0.1,
    astray: Annotated[
        float,
        typer.Option(
            "--astray", min=0, max=1, help="Share of invented edits that are taken for another file."
        ),
    ] = 0.5,
    leave_out: Annotated[
        list[str] | None, typer.Option("--leave-out", metavar="OWNER/NAME", help="A repository to leave out.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Parallel cases.")] = 2,
) -> int:
    """Fit the ranking weights for lazy edits."""
    from fastapply_lab.train import demand

    demand("numpy", "scipy", "lightgbm")
    from fastapply.terminal.output import say
    from fastapply_lab.train.certainty import (
        collect_all,
        fit,
        for_other_files,
        put_in_already,
        read_cases,
        shares,
        without_instructions,
        write_weights,
    )

    try:
        read = read_cases(cases)
    except (OSError, ValueError) as error:
        raise FileTrouble(f"cannot read the cases: {error}", reason="unreadable") from None
    left = [case for case in read if case.get("repository") not in set(leave_out or ())]
    more = [*without_instructions(left, unsaid), *put_in_already(left, again), *for_other_files(left, astray)]
    samples = collect_all([*left, *more], jobs=jobs)
    if len({sample.repository for sample in samples}) < 2:
        raise UsageError("cases of at least two repositories are needed", hint="name more files")
    weights, predicted = fit(samples, most_wrong=most_wrong, most_wrong_unsaid=most_wrong_unsaid)
    write_weights(weights, out)
    for line in shares(samples, predicted, weights.threshold):
        say(line)
    return 0
