"""`fastapply evaluate view RUN`: the page of `evaluate report` on this machine, with annotation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastapply.terminal.output import say, tell
from fastapply_lab.cli.evaluate.page import demand, read_runs

_NEEDED = ("jinja2", "pygments", "starlette", "uvicorn")


def command(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Run folders.")],
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 picks a free one.")] = 0,
    who: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="The annotator's name. Default: the user name."),
    ] = None,
) -> int:
    """Serve the report on this machine and annotate merges (only in a checkout).

    The printed URL contains a token and works on this machine only. Annotations are saved at once to
    RUN/annotations.jsonl.
    """
    demand(_NEEDED)
    shown = read_runs(runs)
    from fastapply_lab.evaluate.serve import serve

    serve([Path(run) for run in runs], shown, port=port, who=who or _user(), tell=say)
    return 0


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user, no such module
        tell("warning: cannot find your user name; set it with --as NAME")
        return "somebody"
