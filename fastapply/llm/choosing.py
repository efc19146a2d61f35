"""Choosing among the candidates of an open edit: one pass over where they differ, and nothing is written."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from fastapply.llm.prompts import expected_answer
from fastapply.llm.region import predict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.llm.engine import ChoosingModel, Task
    from fastapply.llm.region import Region
    from fastapply.types import Candidate


def choose(
    file: Sequence[str], candidates: Sequence[Candidate], region: Region, task: Task, model: ChoosingModel
) -> tuple[float, ...]:
    """The model's own share of each candidate, 0 to 1 and all together 1; () where there are not several.

    Candidates that are the same in what the model is shown share alike. Raises `Refused` (``too_long``),
    `ModelTrouble`.
    """
    texts = [
        expected_answer(model.style, "".join(f"{line}\n" for line in predict(file, region, one.splices)))
        for one in candidates
    ]
    different = list(dict.fromkeys(texts))
    if len(different) < 2:
        return ()
    likely = dict(zip(different, model.score(task.prompt, different), strict=True))
    most = max(score.log_likelihood for score in likely.values())
    odds = {text: exp(score.log_likelihood - most) for text, score in likely.items()}
    total = sum(odds.values())
    return tuple(odds[text] / total for text in texts)
