"""Choosing among the candidates of an open edit: one pass over where they differ, and nothing is written.

Engine and model each have an opinion, and are wrong about other edits: the engine weighs what it can count,
the model has read the words. A candidate's odds are those of the engine times those of the model, the latter
to the power of `WEIGHT`, since the tokens of an answer do not speak independently of each other.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

from fastapply.llm.engine import Usage
from fastapply.llm.prompts import expected_answer
from fastapply.llm.region import predict
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.llm.engine import ChoosingModel, Task
    from fastapply.llm.region import Region
    from fastapply.types import Candidate

WEIGHT = 0.5
_LEAST_SHARE = 1e-6


@dataclass(frozen=True, slots=True)
class Choice:
    """What engine and model make of candidates together: an entry each, in their order.

    `shares` are 0 to 1, all together 1; `totals` natural logarithms of the model's probability of what a
    candidate has of its own. Both are empty where there is nothing to choose from.
    """

    shares: tuple[float, ...] = ()
    totals: tuple[float, ...] = ()
    usage: Usage = Usage()

    @property
    def best(self) -> int | None:
        """The number of the likeliest candidate; None where there is nothing to choose from."""
        return max(range(len(self.shares)), key=self.shares.__getitem__, default=None)


def choose(
    file: Sequence[str], candidates: Sequence[Candidate], region: Region, task: Task, model: ChoosingModel
) -> Choice:
    """How likely each candidate is, to engine and model together.

    Candidates that are the same in what the model is shown are the same to it, and the engine's share tells
    them apart. Raises `Refused` (``too_long``, ``model_timeout``), `ModelTrouble`.
    """
    texts = [
        expected_answer(model.style, "".join(f"{line}\n" for line in predict(file, region, one.splices)))
        for one in candidates
    ]
    different = list(dict.fromkeys(texts))
    if len(different) < 2:
        return Choice()
    scores = model.score(task.prompt, different)
    likely = {text: one.log_likelihood for text, one in zip(different, scores.each, strict=True)}
    even = 1 / len(candidates)
    odds = [
        log((even if one.share is None else one.share) + _LEAST_SHARE) + WEIGHT * likely[text]
        for one, text in zip(candidates, texts, strict=True)
    ]
    most = max(odds)
    total = sum(exp(one - most) for one in odds)
    shares = tuple(exp(one - most) / total for one in odds)
    return Choice(shares, tuple(likely[text] for text in texts), scores.usage)
