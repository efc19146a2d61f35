"""`python -m fastapply_lab figures`: what the lab does that is no command of `fastapply`."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.callback()
def _lab() -> None:
    """Count, for those who work on fastapply."""


@app.command()
def figures(
    sample: Annotated[int, typer.Option(help="Of each set only so many, evenly spread; 0: all.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 2,
) -> None:
    """Print the table of accuracy of the README, counted anew."""
    from fastapply_lab.evaluate.figures import figures as count

    typer.echo(count(sample=sample, jobs=jobs))


if __name__ == "__main__":
    app()
