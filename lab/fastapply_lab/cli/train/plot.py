"""`fastapply train plot`: the logs of training runs in one picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastapply.errors import FileTrouble


def plot(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders.")],
    out: Annotated[Path, typer.Option("--out", metavar="PNG", help="The picture.")] = Path("runs.png"),
) -> int:
    """Plot the loss and accuracy of one or more runs."""
    from fastapply_lab.train import demand

    demand("matplotlib")
    from fastapply.terminal.output import say
    from fastapply_lab.train.plot import plot as draw

    try:
        draw(runs, out)
    except OSError as error:
        raise FileTrouble(f"cannot write {out}: {error.strerror}", reason="write_failed") from None
    say(f"{out}: {len(runs)} runs")
    return 0
