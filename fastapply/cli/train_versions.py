"""`fastapply train versions`: the trees that tell a new version of lines from lines beside them."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import Annotated

import typer

from fastapply.errors import FileTrouble, UsageError


def versions(
    repos: Annotated[list[Path], typer.Argument(metavar="REPO...", help="Local clones, bare or not.")],
    *,
    out: Annotated[Path, typer.Option("--out", metavar="JSON", help="The output file.")],
    most: Annotated[int, typer.Option("--most", min=1, help="Changes per clone.")] = 350,
    without: Annotated[
        list[Path] | None,
        typer.Option("--without", metavar="CASES", help="Skip files that these cases use."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Parallel clones.")] = 2,
) -> int:
    """Learn from commits to tell replaced lines from inserted ones."""
    from fastapply.train import demand

    demand("numpy", "sklearn")
    from subprocess import CalledProcessError

    from fastapply.cli.output import say
    from fastapply.train.certainty import read_cases
    from fastapply.train.versions import collect_all, fit_versions, write_versions

    try:
        known = {
            (str(case.get("repository", "")), str(case.get("path"))) for case in read_cases(without or ())
        }
    except (OSError, ValueError) as error:
        raise FileTrouble(f"cannot read the cases: {error}", reason="unreadable") from None
    try:
        examples = collect_all(repos, most=most, seed=seed, without=known, jobs=jobs)
    except CalledProcessError as error:
        raise FileTrouble(f"git cannot read a clone: {error}", reason="unreadable") from None
    if len({one.replaced for one in examples}) < 2:
        raise UsageError("the clones do not have examples of both kinds", hint="give more clones")
    write_versions(fit_versions(examples, seed=seed), out)
    replaced = sum(one.replaced for one in examples)
    say(f"{len(examples)} examples, {replaced} of lines that were replaced")
    return 0
