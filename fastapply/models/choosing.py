"""Choosing among the candidates of an open edit, by how likely a model finds the lines that each makes."""

from __future__ import annotations

from math import inf, log
from typing import TYPE_CHECKING

from fastapply.models.prompts import expected_answer
from fastapply.models.region import predict
from fastapply.values import dataclass

if TYPE_CHECKING:
    from fastapply.models.engine import ChoosingModel
    from fastapply.models.focus import Focus
    from fastapply.models.prompts import Prompt
    from fastapply.types import Usage

MOST_BEHIND = 8.0
"""From this difference of logarithms on all choices are alike."""
OWN_WEIGHT = 0.5
"""Of the model's logarithm of likelihood beside the engine's, which has seen more of the file."""
_LEAST_SHARE = 1e-4


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the candidates that are open; `number` is that of the whole edit's, 0-based."""

    number: int
    behind: float  # 0 to `MOST_BEHIND`: how much likelier what the model would write there is, logarithms
    usage: Usage


def choose(focus: Focus, prompt: Prompt, model: ChoosingModel) -> Choice | None:
    """The likeliest candidate by the engine and the model together; None where there is none.

    One that changes lines which the model does not see is none. Of a single one only what the model would
    write in its place is asked. Raises `Refused` (``too_long``, ``model_timeout``), `ModelTrouble`.
    """
    open_ = focus.proposal.questions[0].candidates if len(focus.proposal.questions) == 1 else ()
    lines, region = focus.source.lines, focus.region
    ways = dict[str, tuple[int, float]]()  # the first that makes this text, which is the likeliest
    for number, one in zip(focus.listed, open_, strict=bool(open_)):
        if region.holds(one.splices):
            share = 1 / len(open_) if one.share is None else one.share
            text = _answer(model, predict(lines, region, one.splices))
            ways.setdefault(text, (number, log(max(_LEAST_SHARE, share))))
    kept = _answer(model, region.texts(lines))
    ways.pop(kept, None)
    if not ways:
        return None
    leads = {text: share / OWN_WEIGHT for text, (_, share) in ways.items()}
    if len(leads) == 1:
        leads[kept] = -inf  # tells where the one begins to differ, and is not scored itself
    done = model.score(prompt, list(leads), list(leads.values()))
    scored = zip(ways.values(), done.scores, strict=False)
    odds = [(share + OWN_WEIGHT * one.log_likelihood, -number, one.behind) for (number, share), one in scored]
    _, number, behind = max(odds)
    return Choice(-number, min(MOST_BEHIND, behind), done.usage)


def _answer(model: ChoosingModel, lines: tuple[str, ...]) -> str:
    return expected_answer(model.style, "".join(f"{line}\n" for line in lines))
