"""Pictures of training runs: loss and share of exact answers over the tokens seen, one colour a run.

Reads the ``log.jsonl`` of run folders. Needs matplotlib, which is of the extra ``fastapply[train]``; a run
goes on without pictures where it is missing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapply.errors import FileTrouble

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Curve:
    """What the log of a run says: ``(millions of tokens, value)``, in the order of the run."""

    name: str
    loss: tuple[tuple[float, float], ...]  # nats for a token of an answer
    exact: tuple[tuple[float, float], ...]  # share of answers held out


def can_plot() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def read_curve(run: Path) -> Curve:
    """The log of a run folder. A line that a kill cut off is passed over.

    Raises `FileTrouble` where there is no log, or one of something else.
    """
    path = run / "log.jsonl"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise FileTrouble(f"cannot read {path}", reason="missing", hint="a RUN is a folder") from None
    rows = [row for line in lines if isinstance(row := _row(line), dict)]
    try:
        return Curve(
            run.name,
            tuple((row["tokens"] / 1e6, row["loss"]) for row in rows if row["kind"] == "step"),
            tuple(
                (row["tokens"] / 1e6, row["exact"] / max(1, row["samples"]))
                for row in rows
                if row["kind"] == "check"
            ),
        )
    except (KeyError, TypeError):
        raise FileTrouble(f"{path} is no log of a training run", reason="unreadable") from None


def plot(runs: Sequence[Path], out: Path) -> None:
    """Draw the logs of run folders into one PNG, which replaces an older one when it is whole."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    curves = [read_curve(run) for run in runs]
    figure = Figure(figsize=(9, 5), layout="constrained")
    FigureCanvasAgg(figure)
    left = figure.subplots()
    right = left.twinx()
    for number, curve in enumerate(curves):
        colour = f"C{number % 10}"
        left.plot(*_axes(curve.loss), color=colour, linewidth=1, label=f"{curve.name}: loss")
        right.plot(
            *_axes(curve.exact), color=colour, linestyle="--", marker=".", label=f"{curve.name}: exact"
        )
    left.set(xlabel="millions of tokens", ylabel="loss of the answer, nats a token (line)")
    left.set_ylim(bottom=0)
    right.set(ylabel="answers exact, share (dashed)", ylim=(0, 1))
    handles = [line for axes in (left, right) for line in axes.get_lines()]
    left.legend(handles=handles, loc="upper center", fontsize="small")
    part = out.with_name(f"{out.name}.part")
    figure.savefig(part, format="png", dpi=110, metadata={"Software": None})
    part.replace(out)


def _axes(points: tuple[tuple[float, float], ...]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _row(line: str) -> Any:  # noqa: ANN401 - whatever the line holds
    try:
        return json.loads(line)
    except ValueError:
        return None
