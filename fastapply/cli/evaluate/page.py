"""`fastapply evaluate report RUN...` and `view RUN`: the page to look at merges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastapply.cli.evaluate.show import progress
from fastapply.cli.output import say, tell
from fastapply.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.evaluate.page.overview import ShownRun

_REPORT = ("jinja2", "pygments")
_VIEW = (*_REPORT, "starlette", "uvicorn")


def report(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Run folders.")],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="The HTML file to write.")
    ] = "report.html",
) -> int:
    """Write a self-contained HTML report."""
    _demand(_REPORT)
    shown = _read(runs)
    from fastapply.evaluate.page.write import write_report

    with progress() as update:
        count = write_report(shown, Path(out), update)
    say(f"{out}: {count} cases, {Path(out).stat().st_size / 2**20:.1f} MiB")
    return 0


def view(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Run folders.")],
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 picks a free one.")] = 0,
    who: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="The annotator's name. Default: the user name."),
    ] = None,
) -> int:
    """Serve the report on this machine and annotate merges.

    The printed URL contains a token and works on this machine only. Annotations are saved at once to
    RUN/annotations.jsonl.
    """
    _demand(_VIEW)
    shown = _read(runs)
    from fastapply.evaluate.page.serve import serve

    serve([Path(run) for run in runs], shown, port=port, who=who or _user(), tell=say)
    return 0


def _read(runs: Sequence[str]) -> list[ShownRun]:
    from fastapply.evaluate.annotations import read_annotations
    from fastapply.evaluate.judge.judgements import read_judgements
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


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user, no such module
        tell("warning: cannot find your user name; set it with --as NAME")
        return "somebody"


def _demand(modules: Sequence[str]) -> None:
    """Raise `UsageError` (``not_installed``) where a library of the page is not installed."""
    from importlib.util import find_spec

    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"{' and '.join(missing)}: not installed",
            reason="not_installed",
            hint="pip install -e '.[evaluate]' in a checkout of fastapply",
        )
