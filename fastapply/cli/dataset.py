"""`fastapply dataset`: training data for apply models, made of git history.

    build   windows with known answers, from commits

Needs the extra ``fastapply[train]``.
"""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads it at run time
from typing import Annotated

import typer

from fastapply.errors import UsageError


def build(  # noqa: PLR0917 - Typer calls it by name
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for train, valid and test.jsonl.")
    ],
    repo: Annotated[
        list[str] | None, typer.Option("--repo", metavar="PATH|URL", help="A git repository; repeatable.")
    ] = None,
    repos: Annotated[
        Path | None,
        typer.Option("--repos", metavar="FILE", help="A list of them: `[valid|test] PATH|URL` a line."),
    ] = None,
    root: Annotated[
        Path | None, typer.Option("--root", metavar="DIR", help="Where the list's relative paths begin.")
    ] = None,
    per_repo: Annotated[int, typer.Option("--per-repo", help="Most windows of one repository.")] = 2000,
    per_path: Annotated[int, typer.Option("--per-path", help="Most changes of one file.")] = 4,
    negatives: Annotated[float, typer.Option("--negatives", help="Share that must be refused.")] = 0.06,
    seed: Annotated[int, typer.Option("--seed")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Repositories read at a time.")] = 2,
    licence: Annotated[
        list[str] | None,
        typer.Option("--licence", metavar="SPDX", help="Take this one besides the permissive; repeatable."),
    ] = None,
) -> int:
    """Make windows of commits: a piece of a file, an edit, what must come back.

    A repository given by an address is cloned into the user's cache folder. Without a list that says
    otherwise, one repository in twenty is for validation. STATISTICS.md in the folder tells what was made.
    """
    from fastapply.train import demand

    demand("identify", "ukkonen")
    from fastapply.cli.output import say
    from fastapply.dataset.build import Recipe
    from fastapply.dataset.build import build as build_windows
    from fastapply.dataset.sources import read_sources
    from fastapply.dataset.statistics import render_statistics

    sources = read_sources(repo or [], repos, root)
    if not sources.paths:
        raise UsageError("no repository is given", hint="name some with --repo, or a list with --repos")
    recipe = Recipe(
        seed=seed,
        per_repo=per_repo,
        per_path=per_path,
        negatives=negatives,
        valid=sources.valid,
        test=sources.test,
        licences=frozenset(licence or ()),
    )
    tally = build_windows(
        sources.paths, out, recipe, jobs=jobs, told=lambda name, made: say(f"{name}: {made} windows")
    )
    (out / "STATISTICS.md").write_text(render_statistics(tally, recipe), encoding="utf-8")
    for name, reason in tally.refused_repos.items():
        say(f"{name}: left out, {reason}")
    say(f"{tally.windows.total()} windows in {out}")
    return 0


COMMANDS = {"build": build}
