"""`fastapply evaluate report RUN...`: the page to look at merges, as one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastapply.cli.evaluate.show import progress
from fastapply.errors import UsageError
from fastapply.terminal.output import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.evaluate.page.overview import ShownRun

_NEEDED = ("jinja2", "pygments")


def command(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Run folders.")],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="The HTML file to write.")
    ] = "report.html",
) -> int:
    """Write a self-contained HTML report."""
    demand(_NEEDED)
    shown = read_runs(runs)
    from fastapply.evaluate.page.write import write_report

    with progress() as update:
        count = write_report(shown, Path(out), update)
    say(f"{out}: {count} cases, {Path(out).stat().st_size / 2**20:.1f} MiB")
    return 0


def read_runs(runs: Sequence[str]) -> list[ShownRun]:
    """Some runs as the page shows them. Raises `UsageError` for one without results."""
    from fastapply.evaluate.annotations import read_annotations
    from fastapply.evaluate.judgements import read_judgements
    from fastapply.evaluate.page.overview import ShownRun
    from fastapply.evaluate.records import read_records, read_settings, run_name

    names = [run_name(Path(run)) for run in runs]
    if len(set(names)) < len(names):
        names = [str(Path(run)) for run in runs]
    shown = []
    for name, run in zip(names, map(Path, runs), strict=True):
        records = {record.case.id: record for record in read_records(run)}
        if not records:
            raise UsageError(f"{run} has no results")
        shown.append(ShownRun(name, records, read_annotations(run), read_judgements(run), read_settings(run)))
    return shown


def demand(modules: Sequence[str]) -> None:
    """Raise `UsageError` (``not_installed``) where a library of the page is not installed."""
    from importlib.util import find_spec

    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"{' and '.join(missing)}: not installed",
            reason="not_installed",
            hint="pip install -e '.[evaluate]' in a checkout of fastapply",
        )
