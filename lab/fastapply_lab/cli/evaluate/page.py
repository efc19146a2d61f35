"""The page of `fastapply evaluate report -o FILE`, which `view` serves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.cli.evaluate.report import named
from fastapply.cli.evaluate.run import progress
from fastapply.errors import UsageError
from fastapply.terminal.output import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply_lab.evaluate.page.overview import ShownRun

_NEEDED = ("jinja2", "pygments")


def write_page(runs: Sequence[str], out: Path) -> None:
    """Write a self-contained HTML report. Raises `UsageError`."""
    demand(_NEEDED)
    shown = read_runs(runs)
    from fastapply_lab.evaluate.page.write import write_report

    with progress() as update:
        count = write_report(shown, out, update)
    say(f"{out}: {count} cases, {out.stat().st_size / 2**20:.1f} MiB")


def read_runs(runs: Sequence[str]) -> list[ShownRun]:
    """Some runs as the page shows them. Raises `UsageError` for one without results."""
    from fastapply.evaluate.records import read_settings
    from fastapply_lab.evaluate.annotations import read_annotations
    from fastapply_lab.evaluate.judgements import read_judgements
    from fastapply_lab.evaluate.page.overview import ShownRun

    return [
        ShownRun(
            name,
            {record.case.id: record for record in records},
            read_annotations(run),
            read_judgements(run),
            read_settings(run),
        )
        for (name, records), run in zip(named(runs).items(), map(Path, runs), strict=True)
    ]


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
