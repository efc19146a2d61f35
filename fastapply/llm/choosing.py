"""Choosing one of the few merges that an open edit can mean: one pass over them, and nothing is written.

Only for models of which is known how sure they have to be (`Thresholds`), since the likeliest of some ways
may still be unlikely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.llm.prompts import expected_answer
from fastapply.llm.region import predict
from fastapply.llm.ways import list_ways
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.llm.engine import ChoosingModel, Task
    from fastapply.llm.region import Region
    from fastapply.text import SourceText
    from fastapply.types import Proposal, Splice


@dataclass(frozen=True, slots=True)
class Choice:
    """The likeliest of the ways, and how much likelier it is than the next: a natural logarithm."""

    splices: tuple[Splice, ...]
    margin: float


def choose_way(
    source: SourceText, proposal: Proposal, region: Region, task: Task, model: ChoosingModel
) -> Choice | None:
    """Let a model choose; None where there are not several ways that differ in what the model is shown.

    Raises `Refused` (``too_long``), `ModelTrouble`.
    """
    ways: dict[str, tuple[Splice, ...]] = {}
    for way in list_ways(source, proposal):
        text = "".join(f"{line}\n" for line in predict(source.lines, region, way))
        ways.setdefault(expected_answer(model.style, text), way)
    if len(ways) < 2:
        return None
    scores = [one.log_likelihood for one in model.score(task.prompt, list(ways))]
    best = max(range(len(scores)), key=scores.__getitem__)
    second = max(score for at, score in enumerate(scores) if at != best)
    return Choice(list(ways.values())[best], scores[best] - second)


def likelihood(model: ChoosingModel, task: Task, answer: str) -> float:
    """The natural logarithm of the probability that a model gives all of an answer, its end included."""
    scores: Sequence[float] = [one.log_likelihood for one in model.score(task.prompt, [answer, ""])]
    return scores[0]
